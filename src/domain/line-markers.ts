import { randomBytes } from 'node:crypto'

/**
 * What stands in the place of a line that could not be handed on (sources/line-guard): a control character, which no JSON
 * text can contain outside of an escape, and what nobody outside of this process can know.
 */
const secret = randomBytes(16).toString('hex')
export const tooLongMarker = `\u0018${secret}`
export const invalidUtf8Marker = `\u001A${secret}`

/** 16 MiB. A longer line is an error of that line (decisions.md, Import). */
export const maxLineBytes = 16 * 1024 * 1024
