import type { Lane } from '../../domain/lane.js'

/** The document in `import_lanes`. */
export interface LaneDocument extends Lane {
  /** The vendor's id. */
  _id: string
  rev: number
  /** Something waits or runs here: what recovery looks for. */
  active: boolean
}
