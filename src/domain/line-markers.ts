/**
 * What stands in the place of a line that could not be handed on (sources/line-guard): control characters that no JSON
 * text can contain outside of an escape, so no valid line reads as one.
 */
export const tooLongMarker = '\u0018'
export const invalidUtf8Marker = '\u001A'

/** 16 MiB. A longer line is an error of that line (decisions.md, Import). */
export const maxLineBytes = 16 * 1024 * 1024
