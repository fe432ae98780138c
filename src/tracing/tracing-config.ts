/** Where traces go, as the environment says it, by the names that OpenTelemetry has for it. */
import { ConfigError, expectations, saidBy, type Environment, type tracesSamplers } from '../environment.js'

export interface TracingConfig {
  /** Of the collector: spans are posted there, as JSON. */
  url: string
  /** Sent along; secret. */
  headers: Readonly<Record<string, string>>
  serviceName: string
  sampler: (typeof tracesSamplers)[number]
  /** 0 to 1, for samplers by ratio. */
  ratio: number
}

const path = 'v1/traces'

/** undefined: traces are not asked for. Throws ConfigError. */
export function readTracingConfig (env: Environment): TracingConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = env
  // The others may be set for all of a cluster.
  if (endpoint === undefined) return undefined
  if (ratio !== undefined && !sampler.endsWith('traceidratio')) {
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG means nothing with OTEL_TRACES_SAMPLER ${sampler}; set, for example, OTEL_TRACES_SAMPLER=parentbased_traceidratio`)
  }
  return { url: tracesUrl(endpoint), headers: readHeaders(env), serviceName: env.OTEL_SERVICE_NAME, sampler, ratio: ratio ?? 1 }
}

/** What may be a password is not repeated. */
function tracesUrl (endpoint: string): string {
  const fault = (what: string): ConfigError => new ConfigError(`OTEL_EXPORTER_OTLP_ENDPOINT must be ${expectations.OTEL_EXPORTER_OTLP_ENDPOINT}: ${what}`)
  if (!URL.canParse(endpoint)) throw fault('it is no URL')
  const url = new URL(endpoint)
  if (url.username !== '' || url.password !== '') throw fault('it has a user or password; credentials belong into OTEL_EXPORTER_OTLP_HEADERS')
  if (url.search !== '' || url.hash !== '') throw fault(`it has something behind its path, to which /${path} is added`)
  return `${url.href.replace(/\/$/, '')}/${path}`
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible ASCII, spaces within. */
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** `name=value,name=value`, values percent-encoded. No part of it is repeated. */
function readHeaders (env: Environment): Record<string, string> {
  const text = env.OTEL_EXPORTER_OTLP_HEADERS
  if (text === undefined) return {}
  const entries = text.split(',').map((pair, index) => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(at, 0)).trim().toLowerCase()
    const value = decode(pair.slice(at + 1).trim())
    if (at === -1 || !headerName.test(name) || value === undefined || !headerValue.test(value)) {
      const variable = saidBy(env, 'OTEL_EXPORTER_OTLP_HEADERS') as 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_EXPORTER_OTLP_HEADERS_FILE'
      throw new ConfigError(`${variable} must be ${expectations[variable]}: number ${index + 1} is none`)
    }
    return [name, value] as const
  })
  return Object.fromEntries(entries)
}

function decode (text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
