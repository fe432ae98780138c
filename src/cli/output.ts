/**
 * The one place of the command line that writes. stdout holds the result and nothing else, so that it can be piped;
 * progress, remarks and errors go to stderr.
 */
import type { Writable } from 'node:stream'

export type Terminal = Writable & { isTTY?: boolean }

export interface Output {
  stdout: Terminal
  stderr: Terminal
  /** A line of the result. */
  print (line: string): void
  /** The result as one JSON object on one line. */
  json (result: object): void
  /** A remark beside the result. */
  note (line: string): void
  error (message: string): void
}

export function createOutput (stdout: Terminal, stderr: Terminal): Output {
  const line = (stream: Terminal, text: string): void => { stream.write(`${printable(text)}\n`) }
  return {
    stdout,
    stderr,
    print: (text) => { line(stdout, text) },
    json: (result) => { stdout.write(`${JSON.stringify(result)}\n`) },
    note: (text) => { line(stderr, text) },
    error: (message) => { line(stderr, `error: ${message.replaceAll(/\s*\n\s*/g, ' ').trim()}`) }
  }
}

/**
 * File names, external ids and a server's messages are foreign text: what could steer the terminal (escape sequences,
 * carriage returns, changes of writing direction) is shown as its code instead. Line ends and colours set by us stay.
 */
export const printable = (text: string): string =>
  text.replaceAll(hostile, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

// eslint-disable-next-line no-control-regex -- naming them is the point
const hostile = /(?!\u001B\[\d{1,2}m)[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g
