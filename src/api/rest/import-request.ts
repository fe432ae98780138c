/** The JSON body of POST /api/v1/products/import, checked by hand for the wording that decisions.md asks for. */
import { checkImportRequest, importModes, type ImportMode, type ImportRequest } from '../../domain/import-job.js'
import { badInput } from '../../errors.js'

interface StartImportBody {
  request: ImportRequest
  idempotencyKey: string | null
}

/** Throws BAD_USER_INPUT that names the field. Unknown properties are ignored. */
export function readStartImportBody (body: unknown): StartImportBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badInput('The body must be a JSON object')
  const { files, mode, dryRun, maxArchivePercent, archiveDespiteUnreadable, idempotencyKey } = body as Record<string, unknown>
  const request = {
    files: readFiles(files),
    mode: readMode(mode),
    dryRun: optional(dryRun, 'dryRun', 'a boolean', isBoolean) ?? false,
    maxArchivePercent: optional(maxArchivePercent, 'maxArchivePercent', 'a number', (value) => typeof value === 'number'),
    archiveDespiteUnreadable: optional(archiveDespiteUnreadable, 'archiveDespiteUnreadable', 'a boolean', isBoolean) ?? false
  }
  checkImportRequest(request)
  return { request, idempotencyKey: optional(idempotencyKey, 'idempotencyKey', 'a string', (value) => typeof value === 'string') }
}

function readFiles (files: unknown): string[] {
  if (files === undefined || files === null) throw required('files')
  if (!Array.isArray(files)) throw badInput('files must be an array of strings', 'files')
  return files.map((name: unknown, index) => {
    if (typeof name !== 'string') throw badInput(`files[${index}] must be a string`, `files[${index}]`)
    return name
  })
}

function readMode (mode: unknown): ImportMode {
  if (mode === undefined || mode === null) throw required('mode')
  const known = importModes.find((name) => name === mode)
  if (known === undefined) throw badInput(`mode must be one of ${importModes.join(', ')}`, 'mode')
  return known
}

/** null stands for a property that is left out. */
function optional<T> (value: unknown, name: string, kind: string, isKind: (value: unknown) => value is T): T | null {
  if (value === undefined || value === null) return null
  if (!isKind(value)) throw badInput(`${name} must be ${kind}`, name)
  return value
}

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'

const required = (name: string): Error => badInput(`"${name}" is required`, name)
