/** In words for the person who has to do something about it; a stack trace of ours helps nobody to install Java. */
export function describeFailure (error: unknown): string {
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(describeFailure)].join('\n- ')
  return error instanceof Error ? error.message : String(error)
}
