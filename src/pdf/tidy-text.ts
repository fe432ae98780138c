/** Characters that a chart can do without and a terminal or a renderer cannot: controls, and marks that reorder what is read. */
// eslint-disable-next-line no-control-regex
const invisible = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g

export const tidyText = (text: string): string => text.toWellFormed().replace(invisible, '')
