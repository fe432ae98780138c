/** Issues of a job as JSON Lines, in pieces of some 64 KB: a stream that is pushed line by line is several times slower. */
import { setImmediate } from 'node:timers/promises'
import { wordFaultForRest, wordIssue, type JobIssue } from '../../domain/issue.js'

const pieceLength = 64 * 1_024

/** Each line: `{ severity, file, line, externalId, message, faults: [{ code, path, detail }] }`. Ends `issues` when it is ended. */
export async function * toJsonLines (issues: AsyncIterable<JobIssue>): AsyncGenerator<string> {
  let piece = ''
  for await (const issue of issues) {
    piece += `${JSON.stringify(toLine(issue))}\n`
    if (piece.length >= pieceLength) {
      yield piece
      piece = ''
      // What has come of a batch is there at once, and a batch may be megabytes.
      await setImmediate()
    }
  }
  if (piece !== '') yield piece
}

const toLine = (issue: JobIssue) => ({
  severity: issue.severity,
  file: issue.file,
  line: issue.line,
  externalId: issue.externalId,
  message: wordIssue(issue, wordFaultForRest),
  faults: issue.faults.map(({ code, path, detail }) => ({ code, path, detail: detail ?? null }))
})
