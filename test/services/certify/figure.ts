/** What throughput.test.ts has measured, of one import. */
export interface Figure {
  what: 'first load' | 'load again, unchanged' | 'delta of inventory'
  lines: number
  /** From when a worker began to when it had ended. */
  seconds: number
}
