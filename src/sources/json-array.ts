/**
 * `.json` files: one array of products, read with stream-json token by token (decisions.md, "Job states"). An element's number
 * counts from 1 and stands where a line's number would.
 *
 * Elements are put together here rather than by stream-json's assembler, for three reasons: an element over the bound is
 * dropped while it is read and not after; nesting costs no stack; and `__proto__` is a key like any other.
 *
 * Text that is not JSON ends the file: unlike with lines, nothing tells where the next product begins.
 */
import { Transform } from 'node:stream'
import { TextDecoder } from 'node:util'
import { parserStream } from 'stream-json'
import { maxLineBytes } from '../domain/line-markers.js'
import { collect, defaultBatchLimits, type BatchLimits } from '../engine/batching.js'
import { Envelope } from '../engine/envelope.js'
import { fatal, isAppError } from '../errors.js'

interface Token { name: string, value?: string | boolean | null }

export interface JsonArrayDecoder {
  /** From bytes to batches. */
  streams: Transform[]
  /** An error of the pipeline as what it means for the file; any other error as it is. */
  explain (error: unknown): unknown
}

/** `name` is the file's, for messages. `onElement` is called for every element. */
export function jsonArray (
  file: number, name: string, onElement?: () => void, limits: BatchLimits = defaultBatchLimits
): JsonArrayDecoder {
  const parser = parserStream({ packValues: false, streamValues: true }) as Transform
  let syntaxError: Error | undefined
  parser.once('error', (error: Error) => { syntaxError = error })
  const assembler = new ElementAssembler(name)
  let line = 0
  const streams = [
    requireUtf8(name),
    parser,
    collect<Token>(limits, (token) => {
      const element = assembler.push(token)
      if (element === null) return null
      line += 1
      onElement?.()
      const envelope = new Envelope<unknown>({ file, line }, element.tooLong ? null : element.value)
      if (element.tooLong) envelope.reject({ code: 'line-too-long', path: '', detail: maxLineBytes })
      // null is no value to the stages, so it is told here.
      else if (element.value === null) envelope.reject({ code: 'not-an-object', path: '' })
      return { envelope, characters: element.characters }
    })
  ]
  return {
    streams,
    // An error of another stream of the pipeline passes through the parser too.
    explain: (error) => error === syntaxError && !isAppError(error)
      ? fatal(`${name} is not a JSON array of products: element ${line + 1} cannot be read`, error)
      : error
  }
}

function requireUtf8 (name: string): Transform {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk: Buffer | undefined): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (error) {
      throw fatal(`${name} is not valid UTF-8`, error)
    }
  }
  const push = (stream: Transform, chunk: Buffer | undefined, done: (error?: Error) => void): void => {
    try {
      stream.push(decode(chunk), 'utf8')
    } catch (error) {
      return done(error as Error)
    }
    done()
  }
  return new Transform({
    transform (chunk: Buffer, _encoding, done) { push(this, chunk, done) },
    flush (done) { push(this, undefined, done) }
  })
}

interface Element { value: unknown, characters: number, tooLong: boolean }
type Container = unknown[] | Record<string, unknown>

/** Puts tokens together to the elements of the outermost array. */
class ElementAssembler {
  readonly #name: string
  #depth = 0
  /** The containers of the current element, outermost first; the last one is open. */
  #open: Container[] = []
  #keys: string[] = []
  #text = ''
  #characters = 0
  #tooLong = false

  constructor (name: string) {
    this.#name = name
  }

  /** Gives the element that this token completes, else null. */
  push ({ name, value }: Token): Element | null {
    if (this.#depth === 0 && name !== 'startArray') throw fatal(`${this.#name} is not a JSON array of products`)
    this.#count(typeof value === 'string' ? value.length : 1)
    switch (name) {
      case 'startArray':
      case 'startObject':
        this.#depth += 1
        if (this.#depth > 1 && !this.#tooLong) this.#open.push(name === 'startArray' ? [] : {})
        return null
      case 'endArray':
      case 'endObject':
        this.#depth -= 1
        return this.#depth === 0 ? null : this.#complete(this.#open.pop())
      case 'startKey':
      case 'startString':
      case 'startNumber':
        this.#text = ''
        return null
      case 'stringChunk':
      case 'numberChunk':
        if (!this.#tooLong) this.#text += value as string
        return null
      case 'endKey':
        this.#keys.push(this.#text)
        return null
      case 'endString': return this.#complete(this.#text)
      case 'endNumber': return this.#complete(Number(this.#text))
      default: return this.#complete(value)
    }
  }

  #count (characters: number): void {
    this.#characters += characters
    if (this.#characters <= maxLineBytes) return
    this.#tooLong = true
    this.#open = []
    this.#text = ''
  }

  #complete (value: unknown): Element | null {
    if (this.#depth === 1) {
      const element = { value, characters: this.#characters, tooLong: this.#tooLong }
      this.#characters = 0
      this.#tooLong = false
      this.#keys = []
      return element
    }
    const container = this.#open.at(-1)
    if (Array.isArray(container)) container.push(value)
    else if (container !== undefined) define(container, this.#keys.pop() ?? '', value)
    return null
  }
}

/** As JSON.parse does it: an own property, whatever its name. */
function define (target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}
