/** Before anything is painted: the theme that was chosen, or the system's. */
import { applyTheme, storedTheme } from './shell/theme.js'

applyTheme(storedTheme())
