/** Around every page: where one can go, which vendor it is about, who is signed in. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { chooseVendor, signOut, vendor, viewer } from '../api/session.js'
import { navigate, path } from '../router.js'
import { Announcer } from '../ui/announce.js'
import { valueOf } from '../ui/field.js'
import { Link } from '../ui/link.js'
import { areas, type Area } from './areas.js'
import { startKeyboard } from './keyboard.js'
import { storedTheme, storeTheme, type Theme } from './theme.js'

export function areasNow (): readonly Area[] {
  const [at, who] = [vendor.value, viewer.value]
  return at === null || who === null ? [] : areas.filter(({ isFor }) => isFor(at, who))
}

export function Shell ({ children }: { children: ComponentChildren }) {
  useEffect(() => startKeyboard(areasNow), [])
  const nav = useRef<HTMLElement>(null)
  // On a phone the areas stand in a row that is wider than it.
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (nav.current !== null && current != null) nav.current.scrollLeft = current.offsetLeft - (nav.current.clientWidth - current.offsetWidth) / 2
  }, [path.value])
  return (
    <div class='shell'>
      <a class='skip button' href='#main'>Skip to the page</a>
      <header class='side'>
        <Link to='/' class='mark'>Catalog</Link>
        <VendorSwitch />
        <nav ref={nav} class='nav' aria-label='Areas'>
          {areasNow().map(({ to, title, key }) => (
            <Link key={to} to={to} current={path.value === to || path.value.startsWith(`${to}/`)}>
              <span title={`Press g, then ${key}`}>{title}</span>
            </Link>
          ))}
        </nav>
        <div class='who'>
          <Themes />
          <span class='small quiet'>{nameOf()}</span>
          <div><button type='button' class='plain' onClick={() => { signOut() }}>Sign out</button></div>
        </div>
      </header>
      <main class='main' id='main' tabIndex={-1}>{children}</main>
      <Announcer />
    </div>
  )
}

function nameOf (): string {
  const who = viewer.value
  if (who === null) return ''
  if (who.kind === 'INTEGRATION_KEY') return 'Integration key'
  return who.email ?? who.id
}

function VendorSwitch () {
  const vendors = viewer.value?.vendors ?? []
  if (vendors.length <= 1) return <strong class='wrap' style='padding-left:8px'>{vendor.value?.name}</strong>
  const change = (event: Event): void => {
    chooseVendor(valueOf(event))
    // What is shown now is another vendor's.
    navigate('/')
  }
  return (
    <select aria-label='Vendor' value={vendor.value?.id ?? ''} onChange={change}>
      {vendors.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
    </select>
  )
}

function Themes () {
  const [theme, setTheme] = useState<Theme>(storedTheme())
  const choose = (next: Theme): void => {
    setTheme(next)
    storeTheme(next)
  }
  return (
    <fieldset class='themes'>
      <legend class='sr-only'>Theme</legend>
      {(['system', 'light', 'dark'] as const).map((each) => (
        <label key={each}>
          <input class='sr-only' type='radio' name='theme' checked={theme === each} onChange={() => { choose(each) }} />
          {each[0]?.toUpperCase()}{each.slice(1)}
        </label>
      ))}
    </fieldset>
  )
}
