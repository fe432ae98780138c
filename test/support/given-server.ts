/**
 * A MongoDB server that is there for the tests: `TEST_MONGODB_URL`, or of several, separated by spaces, the one of the tap job that
 * this test file runs in. So whatever runs at the same time has a server of its own.
 */
export function givenServer (): string | undefined {
  const servers = process.env['TEST_MONGODB_URL']?.split(' ') ?? []
  return servers[Number(process.env['TAP_JOB_ID'] ?? 0) % servers.length]
}
