/** What the library's markdown still needs before it is a size chart's body. */

/** Characters that a chart can do without and a terminal or a renderer cannot: controls, and marks that reorder what is read. */
// eslint-disable-next-line no-control-regex
const invisible = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g
/** A page without text comes out as an empty code block. */
const emptyCodeBlock = /^```\w*\n\s*```$/gm
/** A line that was drawn, often the border of a table. */
const drawnRule = /^---$/gm
/** Between pages. Empty pages leave several, or one at either end. */
const pageBreaks = /(?:\n*^-----$\n*)+/gm

export function tidyMarkdown (markdown: string): string {
  return markdown
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(invisible, '')
    .replace(emptyCodeBlock, '')
    .replace(drawnRule, '')
    .replace(pageBreaks, '\n\n-----\n\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^(?:\s*-----\n)+|(?:\n-----\s*)+$/g, '')
    .trim()
}
