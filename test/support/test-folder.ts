import type { Test } from 'tap'

/** What `t.testdir()` takes: names of files with their content, of folders with theirs. */
type Content = NonNullable<Parameters<Test['testdir']>[0]>

/**
 * A folder of the test's own, filled with `content`, removed after everything the test tears down. tap's own `t.testdir()` is removed
 * before what was registered after it: under the hands of a server that still writes to it, so that, now and then, the removal
 * fails and the server is never stopped.
 */
export function testFolder (t: Pick<Test, 'teardown' | 'testdir'>, content: Content = {}): string {
  // The folder goes after the teardowns if there is one when it is made.
  t.teardown(() => {})
  // eslint-disable-next-line no-restricted-properties
  return t.testdir(content)
}
