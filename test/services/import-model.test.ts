/** Many more seeds of the model of import jobs: as many as there is patience for. A seed that has failed is replayed with the unit test. */
process.env['MODEL_SEEDS'] ??= '25000'
await import('../unit/jobs/import-model.test.js')
export {}
