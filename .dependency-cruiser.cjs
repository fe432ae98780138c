/** Imports point one way (docs/architecture.md). What is not allowed here is a mistake or a decision to write down. */
const folders = ['console', 'domain', 'engine', 'stages', 'sources', 'store', 'threads', 'tracing', 'pdf', 'assistant', 'kafka', 'jobs', 'sftp', 'api', 'embedded', 'cli', 'bin']

/** A folder may import from these and from itself. */
const allowed = {
  console: [],
  domain: [],
  engine: ['domain'],
  stages: ['domain', 'engine'],
  sources: ['domain', 'engine'],
  store: ['domain', 'engine', 'stages'],
  threads: [],
  tracing: [],
  sftp: ['domain'],
  pdf: ['domain', 'threads'],
  kafka: [],
  jobs: ['kafka', 'domain', 'engine', 'stages', 'sources', 'store', 'threads', 'tracing', 'pdf'],
  assistant: ['domain', 'store'],
  api: ['domain', 'store', 'threads', 'tracing', 'assistant', 'jobs'],
  embedded: [],
  cli: ['domain', 'store', 'sources', 'sftp', 'pdf', 'embedded', 'kafka', 'jobs']
}

const pathOf = (names) => `^src/(${names.join('|')})/`

/** Files at src's top that everybody may use. */
const ownFolder = Object.entries(allowed).map(([folder, others]) => ({
  name: `${folder}-imports`,
  comment: `${folder} may import ${others.length === 0 ? 'nothing of ours' : others.join(', ')}, errors and config`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: pathOf(folders.filter((other) => other !== folder && !others.includes(other))) }
}))

module.exports = {
  forbidden: [
    ...ownFolder,
    {
      name: 'stages-have-no-io',
      comment: 'A stage is a function of its batch; what it looks up is handed to it',
      severity: 'error',
      from: { path: '^src/(domain|engine|stages)/' },
      to: { path: '^(node:)?(fs|net|http|https|child_process|worker_threads|dgram|tls)|node_modules/(mongodb|ssh2|node-rdkafka|fastify)/' }
    },
    {
      name: 'pipelines-imports',
      comment: 'Pipelines say what runs in which order: engine, stages, sources, store, domain',
      severity: 'error',
      from: { path: '^pipelines/' },
      to: { path: pathOf(['assistant', 'kafka', 'jobs', 'sftp', 'api', 'embedded', 'cli', 'bin']) }
    },
    {
      name: 'pipelines-are-run-by',
      comment: 'jobs, cli and bin run pipelines; nothing below knows them',
      severity: 'error',
      from: { path: pathOf(['domain', 'engine', 'stages', 'sources', 'store', 'threads', 'assistant', 'sftp', 'api', 'embedded']) },
      to: { path: '^pipelines/' }
    },
    {
      name: 'open-telemetry-in-one-place',
      comment: 'Everything else is traced in terms of src/tracing/span',
      severity: 'error',
      from: { path: '^(src|pipelines)/', pathNot: '^src/tracing/open-telemetry\\.ts$' },
      to: { path: 'node_modules/@opentelemetry/' }
    },
    {
      name: 'open-telemetry-is-loaded-when-asked-for',
      comment: 'Where traces are not asked for, nothing is loaded for them',
      severity: 'error',
      from: {},
      to: { path: '^src/tracing/open-telemetry\\.ts$', dynamic: false }
    },
    {
      name: 'nobody-imports-bin',
      severity: 'error',
      from: { path: '^(src/(?!bin/)|pipelines/)' },
      to: { path: '^src/bin/' }
    },
    {
      name: 'api-queues-only',
      comment: 'The API accepts and cancels jobs; running them is the worker',
      severity: 'error',
      from: { path: '^src/api/' },
      to: { path: '^src/jobs/(?!import-queue)' }
    },
    { name: 'no-cycles', comment: 'Of types neither: what is read is described below what reads it', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-dev-dependencies', severity: 'error', from: { path: '^(src|pipelines)/', pathNot: 'generated.ts|^src/console/' }, to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } }
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] }
  }
}
