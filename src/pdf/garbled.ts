/** Whether a page's fonts do not say which characters they draw: what is read then is not what is seen. */
import { unnamed, type PageGeometry } from './page-geometry.js'

/** Bullets and arrows of symbol fonts are few. */
const share = 0.03

export function isGarbled ({ glyphs }: Pick<PageGeometry, 'glyphs'>): boolean {
  const inked = glyphs.filter(({ text }) => unnamed.test(text) || !/^\s*$/.test(text))
  return inked.filter(({ text }) => unnamed.test(text)).length > share * inked.length
}
