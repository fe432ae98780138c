/** Light or dark: the system's, until the reader chooses. */

export type Theme = 'system' | 'light' | 'dark'

const key = 'console.theme'
const systemIsDark = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches

export function storedTheme (): Theme {
  const stored = localStorage.getItem(key)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function storeTheme (theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, theme)
  applyTheme(theme)
}

export function applyTheme (theme: Theme): void {
  document.documentElement.classList.toggle('dark', theme === 'dark' || (theme === 'system' && systemIsDark()))
}

export function followSystemTheme (): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { applyTheme(storedTheme()) })
}
