/** Takes the event loop, as heavy work does. */
export function busyFor (ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}
