/**
 * Tells whether code that has read strings of all kinds is compiled for strings: `followed` as its argument has V8 told to (src/threads/string-kinds). Code that is has to be thrown away when something else comes by; code that looks
 * each read up in a table goes on.
 */
import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { followStringKinds } from '../../../src/threads/string-kinds.js'

setFlagsFromString('--allow-natives-syntax')
if (process.argv[2] === 'followed') followStringKinds()

const optimized = 16
const [read, optimize, statusOf] = runInThisContext(`(() => {
  function read (text) { return text.length }
  %PrepareFunctionForOptimization(read)
  return [read, () => { %OptimizeFunctionOnNextCall(read) }, () => %GetOptimizationStatus(read)]
})()`) as [read: (text: { length: number }) => number, optimize: () => void, statusOf: () => number]

const latin = JSON.parse('"read from JSON text, one byte each"') as string
const wide = JSON.parse('"read from JSON text, two bytes each \u{4f60}"') as string
const strings = ['name', '\u{4f60}\u{597d}', latin, wide, latin.slice(1, 30), wide.slice(1, 37), latin + String(process.pid), wide + String(process.pid)]

for (let times = 0; times < 3; times++) for (const text of strings) read(text)
optimize()
read(latin)
const isOptimized = (statusOf() & optimized) !== 0
read({ length: 0 })
process.stdout.write(JSON.stringify({ isOptimized, isForStrings: (statusOf() & optimized) === 0 }))
