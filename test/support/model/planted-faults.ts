/** Faults of the kinds that the model is there for, made around the code under test: what a model does not find when it is there, it does not look for. */
import type { Planted } from './run-seed.js'

export const plantedFaults: Readonly<Record<string, Planted>> = {
  // The only reader of a single job's document, in a worker, is the fence.
  'the fence never hears that a job is another\'s': {
    answer: (collection, method, actor, result) =>
      collection === 'importJobs' && method === 'findOne' && actor.name.startsWith('worker') && result !== null ? { ...result, status: 'processing', attempt: 1, runs: 1 } : result
  },
  'products forget which line wrote them': {
    keep: ({ writtenBy: _forgotten, ...product }) => product
  },
  'products forget which job an upsert has seen': {
    keep: ({ upsertedDuring: _forgotten, ...product }) => product
  },
  'what was archived is not looked at again': {
    answer: (collection, method, _actor, result, operations) =>
      collection === 'products' && method === 'bulkWrite' ? { ...result as object, modifiedCount: operations } : result,
    transactions: 'none'
  },
  'a transaction that is said to be done is not': {
    transactions: 'forgotten'
  },
  'a transaction does not see that others have written what it has read': {
    transactions: 'blind'
  }
}
