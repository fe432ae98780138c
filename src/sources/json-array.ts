/**
 * `.json` files: one array of products, read with stream-json token by token (decisions.md, "Job states"). An element's number
 * counts from 1 and stands where a line's number would.
 *
 * Elements are put together here rather than by stream-json's assembler, for two reasons: an element over a bound is
 * dropped while it is read and not after; and `__proto__` is a key like any other. What is nested too deeply is cut out
 * before stream-json sees it, since it remembers every level.
 *
 * Text that is not JSON ends the file: unlike with lines, nothing tells where the next product begins.
 */
import { Transform } from 'node:stream'
import { TextDecoder } from 'node:util'
import { parserStream } from 'stream-json'
import type { Fault } from '../domain/issue.js'
import { DepthCutter, maxJsonDepth, maxJsonValues } from '../domain/json-bounds.js'
import { maxLineBytes } from '../domain/line-markers.js'
import { readExternalId } from '../domain/product-patch.js'
import { isRecord } from '../domain/reader.js'
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
  /** Elements that something was cut out of, from where the bytes are to where the elements are put together. */
  const cutElements = new Set<number>()
  const streams = [
    cutDepth((entry) => { cutElements.add(entry + 1) }),
    requireUtf8(name),
    parser,
    collect<Token>(limits, (token) => {
      const element = assembler.push(token)
      if (element === null) return null
      line += 1
      onElement?.()
      const { fault } = element
      const envelope = new Envelope<unknown>({ file, line }, fault === null ? element.value : null, element.characters)
      const isCut = cutElements.delete(line)
      if (fault !== null) {
        envelope.reject(fault)
        envelope.salvagedId = element.salvagedId
      }
      // null is no value to the stages, so it is told here.
      if (fault === null && element.value === null) envelope.reject({ code: 'not-an-object', path: '' })
      // Which field it was is told by the first stage, which finds what was left of it.
      else if (fault === null && isCut && !isRecord(element.value)) envelope.reject(tooDeep)
      return envelope
    })
  ]
  return {
    streams,
    // An error of another stream of the pipeline passes through the parser too.
    explain (error) {
      if (error !== syntaxError || isAppError(error)) return error
      const why = cutElements.has(line + 1) ? `, which is nested deeper than ${maxJsonDepth} levels,` : ''
      return fatal(`${name} is not a JSON array of products: element ${line + 1}${why} cannot be read`, error)
    }
  }
}

const tooDeep: Fault = { code: 'too-deep', path: '', detail: maxJsonDepth }
const tooLong: Fault = { code: 'line-too-long', path: '', detail: maxLineBytes }
const tooManyValues: Fault = { code: 'too-many-values', path: '', detail: maxJsonValues }

/** stream-json makes up to three tokens of two bytes, all those of a piece before anyone else has a turn: 10 to 25 ms of so much. */
const maxPieceBytes = 8 * 1024

function cutDepth (onCut: (entry: number) => void): Transform {
  const cutter = new DepthCutter(1, onCut)
  return new Transform({
    transform (chunk: Buffer, _encoding, done) {
      const pushFrom = (start: number): void => {
        if (start >= chunk.length) return done()
        this.push(cutter.push(chunk.subarray(start, start + maxPieceBytes)))
        setImmediate(pushFrom, start + maxPieceBytes)
      }
      pushFrom(0)
    }
  })
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

/** `fault`: a bound that it passes; then it has no value, and its external id only where that had come before. */
interface Element { value: unknown, characters: number, fault: Fault | null, salvagedId: string | null }
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
  #values = 0
  #fault: Fault | null = null
  #salvagedId: string | null = null

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
        if (this.#depth > 1 && this.#fault === null) this.#open.push(name === 'startArray' ? [] : {})
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
        if (this.#fault === null) this.#text += value as string
        return null
      case 'endKey':
        if (this.#fault === null) this.#keys.push(this.#text)
        return null
      case 'endString': return this.#complete(this.#text)
      case 'endNumber': return this.#complete(Number(this.#text))
      default: return this.#complete(value)
    }
  }

  #count (characters: number): void {
    this.#characters += characters
    if (this.#characters > maxLineBytes) this.#drop(tooLong)
  }

  /** Of an element that passes a bound nothing is kept, however long it goes on. */
  #drop (fault: Fault): void {
    this.#fault ??= fault
    const [record] = this.#open
    if (isRecord(record)) this.#salvagedId ??= readExternalId(record)
    this.#open = []
    this.#keys = []
    this.#text = ''
  }

  #complete (value: unknown): Element | null {
    this.#values += 1
    if (this.#values > maxJsonValues) this.#drop(tooManyValues)
    if (this.#depth === 1) {
      const element = { value, characters: this.#characters, fault: this.#fault, salvagedId: this.#salvagedId }
      this.#characters = 0
      this.#values = 0
      this.#fault = null
      this.#salvagedId = null
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
