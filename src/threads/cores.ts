/** How many of this machine's cores a process makes use of. What there is beyond is for more processes: a container sees all cores of its host, and has the memory that four need. */
import { availableParallelism } from 'node:os'

/** Of two threads one goes on while the other waits for the database, also on a single core. */
export const usedCores = Math.min(4, Math.max(2, availableParallelism()))
