/** Progress, on stderr: stdout belongs to the tests' report, and to the environment that `npm run services` prints. */
export function say (line: string): void {
  process.stderr.write(`services: ${line}\n`)
}
