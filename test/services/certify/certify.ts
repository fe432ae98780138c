/**
 * The one way in which test files are run on given servers, somebody's own (`npm run certify`) or those that the service tests have started (run.ts): in places of the run's own, which are removed
 * afterwards, whatever has become of the tests.
 */
import { availableParallelism } from 'node:os'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../../../src/package-root.js'
import { makeOwnPlaces, type OwnPlaces, type Servers } from './own-places.js'
import { reportOf } from './report.js'
import { runTests, type RunTestsOptions } from './run-tests.js'

export interface CertifyOptions extends Omit<RunTestsOptions, 'env' | 'lanes'> {
  servers: Servers
  /** So many files run at a time, in places of their own; 1 when left out. */
  lanes?: number
  /** For all tests, beside what tells them of the servers. */
  env?: NodeJS.ProcessEnv
}

export interface Certified {
  /** Each file has passed, and nothing is left behind. */
  isPassed: boolean
  /** Of the tests, where they ended by themselves. */
  exitCode: number
  /** In markdown. */
  report: string
}

/** Rejects when the servers cannot be used, one line each; then nothing has been run, and nothing is left there. */
export async function certify ({ servers, lanes = 1, files, env = {}, signal, ...options }: CertifyOptions): Promise<Certified> {
  const startedAt = new Date()
  const places = await makeLanes(servers, lanes)
  let leftBehind: string[] = []
  let run: Awaited<ReturnType<typeof runTests>> = { exitCode: 1, results: [], figures: [] }
  try {
    if (!signal.aborted) run = await runTests({ files, env, lanes: places.map((each) => each.env), signal, ...options })
  } finally {
    leftBehind = await removeAll(places)
  }
  const { version } = JSON.parse(await readFile(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }
  const versions = { service: version, Node: `${process.version}, on ${availableParallelism()} processors`, ...places[0]?.versions }
  const { exitCode, results, figures } = run
  const isPassed = exitCode === 0 && !signal.aborted && leftBehind.length === 0 && results.length === files.length && results.every(({ failures }) => failures.length === 0)
  return { isPassed, exitCode, report: reportOf({ startedAt, endedAt: new Date(), isPassed, isInterrupted: signal.aborted, versions, files, results, figures, leftBehind }) }
}

/** All of them or none. */
async function makeLanes (servers: Servers, count: number): Promise<OwnPlaces[]> {
  const made: OwnPlaces[] = []
  try {
    while (made.length < count) made.push(await makeOwnPlaces(servers))
    return made
  } catch (error) {
    const left = await removeAll(made)
    throw left.length === 0 ? error : new AggregateError([error, ...left.map((line) => new Error(line))], 'The tests cannot run on these servers')
  }
}

const removeAll = async (places: readonly OwnPlaces[]): Promise<string[]> => (await Promise.all(places.map(async ({ remove }) => await remove()))).flat()
