import { join } from 'node:path'
import { packageRoot } from '../package-root.js'

/** A file of this folder that is not compiled. */
export const uncompiledPath = (name: string): string => join(packageRoot(), 'src', 'embedded', name)
