/** Node's flags for the service, as `npm start` and deploy/ start it (test/unit/deploy compares). */

/**
 * The main thread answers, in small pieces: with a young generation of V8's own choice 25 to 35 MB more of garbage lie in it, in a process
 * whose other threads have theirs (docs/security.md). Those have their own limits, see src/threads/start-thread.
 */
const young = '--max-semi-space-size=4'

/**
 * Where V8 sees that what one place in the code makes grows old, it makes it old from then on, for good. It sees that at the start, when all that is made stays; then
 * such a thing of each request, old and dead, keeps all that it leads to until the old generation is collected, and what is young is copied twice before
 * (docs/performance.md, "Small reads").
 */
const youngAtFirst = '--no-allocation-site-pretenuring'

/**
 * V8's helper threads collect garbage and compile for all threads of the process, import threads included, at the priority of the one that answers. By itself Node begins four:
 * on two cores it is these that the event loop waits for, four times as often as for one (docs/security.md).
 */
export const serviceFlags = [young, youngAtFirst, '--v8-pool-size=1']

/**
 * Of a process that is a worker and nothing else: each import thread
 * collects its own garbage. V8 would have threads of its own help, which on a machine that is busy with imports anyway costs two
 * workers a sixth of what they get done (docs/performance.md, "Two workers"). A process that serves the API, too, goes without: there
 * the helper keeps pauses short.
 */
export const workerFlags = [young, youngAtFirst, '--single-threaded-gc']
