/**
 * Loaded into a service before anything else (`node --import`): from then on `Date` tells the time that the test wants, which it
 * writes into the file that `WRONG_CLOCK_FILE` names, in milliseconds from the real one. Timers go on as ever, as they do
 * when the clock of a machine is set.
 */
import { readFileSync } from 'node:fs'

const Right = Date
const file = process.env['WRONG_CLOCK_FILE'] ?? ''
const lookEveryMs = 20
let offset = 0
let lookedAt = -Infinity

function now (): number {
  if (performance.now() - lookedAt > lookEveryMs) {
    lookedAt = performance.now()
    offset = Number(readFileSync(file, 'utf8'))
  }
  return Right.now() + offset
}

globalThis.Date = new Proxy(Right, {
  construct: (target, args: [], newTarget: new () => Date) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  apply: () => new Right(now()).toString(),
  get: (target, name) => name === 'now' ? now : Reflect.get(target, name) as unknown
})
Right.prototype.constructor = globalThis.Date
