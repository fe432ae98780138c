/**
 * Node's flags for a process that is a worker and nothing else, as deploy/ starts it (test/unit/deploy compares): each import thread
 * collects its own garbage. V8 would have threads of its own help, which on a machine that is busy with imports anyway costs two
 * workers a sixth of what they get done (docs/performance.md, "Two workers"). A process that serves the API, too, goes without: there
 * the helpers keep pauses short.
 */
export const workerFlags = ['--single-threaded-gc']
