/**
 * Converts the PDFs of size charts in the background.
 *
 * A Kafka message is only a hint that a vendor has charts that wait; which, is read from the charts (domain/size-chart.ts).
 * `wake` resolves when the vendor has none left, and only then is the message's offset committed. A worker beats on its claim while
 * it converts the chart; where it dies, its claims stand still and whoever is woken takes the charts over.
 *
 *   wake ─▶ pending charts ─▶ slot ─▶ claim ─▶ convert ─┬─ result ────────▶ finish (dropped if there is a newer source)
 *               ▲    │ all claimed elsewhere            ├─ shutting down ─▶ hand back (no attempt counted)
 *               └────┴─ watch their beats               └─ broke ─────────▶ the claim stands still; FAILED after three attempts
 *
 * Vendors take turns: each has two charts in the slots or in the line for them, however many of it wait and however long they take. One is
 * converted while the next is fetched; of a vendor the converter takes one at a time.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { ConvertSizeChart } from '../../pipelines/size-chart-conversion.js'
import { createBoundedMap } from '../domain/bounded-map.js'
import type { ConversionResult, SeenChart, SizeChartRecord } from '../domain/size-chart.js'
import { createStandstill } from '../domain/standstill.js'
import type { Repositories } from '../store/repositories.js'
import { createPatience } from '../store/database/while-away.js'
import { noTracer, type Span, type Tracer } from '../tracing/span.js'
import { createDrains } from './drains.js'
import type { Hint } from './kafka-consumer.js'
import { startBeat, type Rounds } from './rounds.js'

export interface SizeChartWorkerOptions {
  repositories: Pick<Repositories, 'sizeCharts' | 'sizeChartPdfs'>
  convert: ConvertSizeChart
  metrics: Registry
  /** Conversions are traced by it; without it, none is. */
  tracer?: Tracer
  log: Logger
  /** How often the worker says of a claim that it is alive. */
  beatMs?: number
  /** How long a beat may stay away before the chart is taken from its worker; several beats. */
  leaseMs?: number
  /** Conversions of this process at a time. */
  slots?: number
}

export interface SizeChartWorker {
  /** Resolves when no chart of the vendor waits any more. Rejects when the worker shuts down. `hint`: what told of it, whose chart goes on with its trace. */
  wake (vendorId: string, hint?: Hint): Promise<void>
  /** Begins no more conversions, gives the running ones back. */
  stop (): Promise<void>
}

class ShuttingDown extends Error {}
class ClaimLost extends Error {}

/** Several wait for the network side by side, so that one slow server does not hold up everybody's; the converter has a limit of its own. */
const defaultSlots = 4
const chartsOfVendorAtOnce = 2
/** Charts of one vendor that are looked up at a time. */
const chartsInLine = 8
/** Traces of hints whose charts wait; each is a hundred bytes. A chart whose trace is forgotten begins one. */
const maxTraces = 1_000

export function createSizeChartWorker (options: SizeChartWorkerOptions): SizeChartWorker {
  const { repositories: { sizeCharts, sizeChartPdfs }, convert, tracer = noTracer, log, beatMs = 3_000, leaseMs = 10_000 } = options
  const stopping = new AbortController()
  const patience = createPatience(stopping.signal, log)
  const slots = pLimit(options.slots ?? defaultSlots)
  const drains = createDrains(drain)
  /** The traceparent of the hint, by chart. */
  const traces = createBoundedMap<string, string>(maxTraces)
  const conversions = new Counter({
    name: 'size_chart_conversions_total',
    help: 'PDFs dealt with: converted by the converter, unchanged and therefore not converted again, or failed',
    labelNames: ['outcome'],
    registers: [options.metrics]
  })
  for (const outcome of ['converted', 'unchanged', 'failed', 'dropped']) conversions.inc({ outcome }, 0)

  async function drain (vendorId: string): Promise<void> {
    const ofVendor = pLimit(chartsOfVendorAtOnce)
    for (;;) {
      const charts = await nextCharts(vendorId)
      if (charts.length === 0) return
      // All of them, also when one is stopped: each gives its claim back.
      await Promise.allSettled(charts.map(async (chart) => { await ofVendor(async () => { await slots(async () => { await convertChart(vendorId, chart) }) }) }))
    }
  }

  /**
   * Some that nobody has; when there are none, those of lost workers. None: the vendor has none left.
   * Others' claims are watched without a pause, or not at all: nobody can tell how it went while this worker was busy, and the database away.
   */
  async function nextCharts (vendorId: string): Promise<SeenChart[]> {
    const lease = createStandstill(leaseMs)
    const look = async <T> (read: () => Promise<T>): Promise<T> => await lease.look(async () => await patience(read))
    for (;;) {
      stopping.signal.throwIfAborted()
      const free = await look(async () => await sizeCharts.unclaimed(vendorId, chartsInLine))
      if (free.length > 0) return free
      const claimed = await look(async () => await sizeCharts.claimed(vendorId))
      const lost = claimed.filter(({ _id, revision }) => lease.standsStill(_id, String(revision)))
      if (lost.length > 0) return lost
      if (claimed.length === 0 && !await look(async () => await sizeCharts.isAnyPending(vendorId))) return []
      await delay(Math.min(beatMs, leaseMs), undefined, { signal: stopping.signal })
    }
  }

  async function convertChart (vendorId: string, seen: SeenChart): Promise<void> {
    stopping.signal.throwIfAborted()
    const claimed = await patience(async () => await sizeCharts.claim(vendorId, seen, randomUUID()))
    if (claimed === null) return
    const { attempts: attempt } = claimed.conversion
    const span = tracer.begin('convert size chart', traces.get(seen._id), {
      kind: 'consumer', attributes: { 'catalog.vendor.id': vendorId, 'catalog.size_chart.id': seen._id, 'catalog.size_chart.attempt': attempt }
    })
    try {
      await convertTraced(claimed, span)
    } finally {
      span.end()
    }
  }

  async function convertTraced (claimed: SizeChartRecord, span: Span): Promise<void> {
    const { _id: sizeChartId, vendorId, conversion: { attempts: attempt } } = claimed
    const chartLog = log.child({ vendorId, sizeChartId, attempt, ...span.names })
    const lost = new AbortController()
    const signal = AbortSignal.any([lost.signal, stopping.signal])
    const heart = beatWhileConverting(claimed, lost, chartLog)
    try {
      const result = await convert(claimed, signal)
      await heart.stop()
      await finish(claimed, result, chartLog)
      span.set({ 'catalog.size_chart.outcome': result.outcome })
      traces.delete(sizeChartId)
    } catch (error) {
      await heart.stop()
      const reason: unknown = signal.aborted ? signal.reason : error
      if (reason instanceof ShuttingDown) {
        await sizeCharts.handBack(claimed)
        span.set({ 'catalog.size_chart.outcome': 'handed back' })
        throw reason
      }
      if (reason instanceof ClaimLost) chartLog.info('the size chart has moved on')
      // The claim stands still from now on, which is also the pause before the next attempt.
      else {
        chartLog.error({ err: error }, 'a size chart conversion broke')
        span.fail('broke')
      }
    }
  }

  async function finish (claimed: SizeChartRecord, result: ConversionResult, chartLog: Logger): Promise<void> {
    const { applied, released } = await patience(async () => await sizeCharts.finish(claimed, result))
    // An original that was kept for a result nobody wants any more has no holder.
    const unheld = applied || result.pdf === null || result.pdf.fileId === claimed.pdf?.fileId ? released : [result.pdf.fileId]
    conversions.inc({ outcome: applied ? result.outcome : 'dropped' })
    chartLog.info({ outcome: result.outcome, applied, ...(result.outcome === 'failed' ? { failure: result.failure } : {}) }, 'size chart conversion ended')
    await sizeChartPdfs.remove(unheld).catch((error: unknown) => { chartLog.warn({ err: error }, 'an old original was not removed; the sweep will') })
  }

  /** Beats until stopped; aborts when the claim is lost. */
  function beatWhileConverting (claimed: SizeChartRecord, lost: AbortController, chartLog: Logger): Rounds {
    const beat = async (): Promise<void> => {
      try {
        if (!await sizeCharts.beat(claimed)) lost.abort(new ClaimLost())
      } catch (error) {
        // What a missed beat means is decided by the lease.
        chartLog.warn({ err: error }, 'heartbeat failed')
      }
    }
    return startBeat(beat, beatMs)
  }

  return {
    async wake (vendorId, hint) {
      if (hint?.traceparent !== undefined) traces.set(hint.jobId, hint.traceparent)
      await drains.wake(vendorId)
    },
    async stop () {
      stopping.abort(new ShuttingDown('the worker is shutting down'))
      await drains.settled()
    }
  }
}
