/** Bytes to batches of lines: the line guard, split2, batching. */
import type { Transform } from 'node:stream'
import split2 from 'split2'
import { batchLines, type BatchLimits } from '../engine/batching.js'
import { guardLines } from './line-guard.js'

/** `onLine` is called for every physical line. A CR before the line end is white space to JSON. */
export const lines = (file: number, onLine?: () => void, limits?: BatchLimits): Transform[] =>
  [guardLines(), split2('\n'), batchLines(file, limits, onLine)]
