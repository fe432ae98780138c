/** The document in `workers`. */
export interface WorkerDocument {
  _id: string
  heartbeatAt: Date
}
