/** Traces, where they are asked for. */
import type { Logger } from 'pino'
import { noTracer, type Tracing } from './span.js'
import type { TracingConfig } from './tracing-config.js'

const none: Tracing = { tracer: noTracer, close: async () => {} }

/** `config` undefined: nothing is traced, and nothing loaded for it. */
export async function startTracing (config: TracingConfig | undefined, log: Logger): Promise<Tracing> {
  if (config === undefined) return none
  const { createOpenTelemetry } = await import('./open-telemetry.js')
  return createOpenTelemetry(config, log)
}
