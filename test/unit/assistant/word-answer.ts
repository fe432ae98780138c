import type { FitmentAnswer } from '../../../src/assistant/resolve-fitment.js'

/** As the tables of phrasings write it; the candidates only where they name some. */
export function wordAnswer (answer: FitmentAnswer, withCandidates: boolean): string {
  if (answer.status === 'RESOLVED') return answer.target.externalId
  if (answer.status !== 'NEEDS_FACET') return answer.status === 'NO_MATCH' ? '-' : answer.status
  return `?${answer.facet.slug}${withCandidates ? ` ${answer.candidates.join(', ')}` : ''}`
}
