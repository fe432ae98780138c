/**
 * The service of a benchmark, in a process of its own: what is seen of its event loop, memory and processor time is the service's alone, as it
 * is in production. Run by bench/bench-service only.
 */
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { loadConfig } from '../src/config.js'
import { createLog } from '../src/log.js'
import { startService } from '../src/bin/service.js'
import { watchLoopHoldUps, type LoopHoldUps } from './loop-hold-ups.js'

/** First of all; `logTo` is a file's path or descriptor. */
export interface StartService { env: NodeJS.ProcessEnv, logTo: string | number }

export interface StartedService { url: string, sftp: string, mongodbUrl: string }

/** Then any number of these, in turn. */
export type WatchService = 'watch' | 'tell' | 'close'

/** Since it was told to watch. */
export interface ServiceLoad {
  /** How long the event loop was held up. */
  loopP99Ms: number
  loopMaxMs: number
  /** The same, by what it did meanwhile. */
  loopHoldUps: LoopHoldUps
  /** The share of the time in which it was at work. */
  loopBusy: number
  /** User and system, all threads. */
  cpuUs: number
  /** The most that was resident. */
  peakBytes: number
}

const memoryEveryMs = 100

function watch (): () => ServiceLoad {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  const tellHoldUps = watchLoopHoldUps()
  const cpu = process.cpuUsage()
  const busy = performance.eventLoopUtilization()
  let peakBytes = process.memoryUsage.rss()
  // It is no reason to go on: a service that is closed ends.
  const memory = setInterval(() => { peakBytes = Math.max(peakBytes, process.memoryUsage.rss()) }, memoryEveryMs).unref()
  loop.enable()
  return () => {
    loop.disable()
    clearInterval(memory)
    const { user, system } = process.cpuUsage(cpu)
    return {
      loopP99Ms: loop.percentile(99) / 1e6,
      loopMaxMs: loop.max / 1e6,
      loopHoldUps: tellHoldUps(),
      loopBusy: performance.eventLoopUtilization(busy).utilization,
      cpuUs: user + system,
      peakBytes
    }
  }
}

if (process.send === undefined) throw new Error('service-process is run by bench/bench-service only')
const [{ env, logTo }] = await once(process, 'message') as [StartService]
const config = loadConfig(env)
const { url, sftp, mongodbUrl, close } = await startService(config, createLog({ level: config.logLevel, to: logTo }))
process.send({ url, sftp, mongodbUrl } satisfies StartedService)

let tell: (() => ServiceLoad) | undefined
process.on('message', (what: WatchService) => {
  if (what === 'watch') tell = watch()
  if (what === 'tell') process.send?.(tell?.())
  if (what === 'close') void close().then(() => { process.disconnect() })
})
// Whoever has started it has gone.
process.once('disconnect', () => { void close() })
