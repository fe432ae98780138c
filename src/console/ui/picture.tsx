/** A merchant's own image. It is not told which page shows it; where it cannot be had its place stays. */
import { useState } from 'preact/hooks'
import { webAddress } from '../catalog/product-text.js'

interface PictureProps { url: string | undefined, alt: string, class: string }

export function Picture ({ url, alt, class: className }: PictureProps) {
  const [isMissing, setMissing] = useState(false)
  const address = webAddress(url)
  if (address === null || isMissing) return <span class={className} {...alt === '' ? {} : { role: 'img', 'aria-label': alt }} />
  return <img src={address} alt={alt} class={className} loading='lazy' decoding='async' referrerpolicy='no-referrer' onError={() => { setMissing(true) }} />
}
