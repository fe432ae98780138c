/** A converter that does what its input says: everything that a library of native code can do to its process. */
const chunks: Buffer[] = []
for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
const wanted = Buffer.concat(chunks).toString()

if (wanted === 'hang') setInterval(() => {}, 1_000)
else if (wanted === 'spin') for (;;);
else if (wanted === 'grow') {
  const held: Buffer[] = []
  setInterval(() => { held.push(Buffer.alloc(32 * 1_024 * 1_024, 1)) }, 1)
} else if (wanted === 'crash') process.kill(process.pid, 'SIGSEGV')
else if (wanted === 'SIGINT' || wanted === 'SIGTERM') {
  // Of whoever runs the tests; the converter has none.
  process.removeAllListeners(wanted)
  process.kill(process.pid, wanted)
} else if (wanted === 'exit') process.exit(3)
else if (wanted === 'babble') setInterval(() => { process.stdout.write('x'.repeat(65_536)) }, 1)
else if (wanted === 'environment') process.stdout.write(JSON.stringify({ markdown: JSON.stringify(process.env) }))
else process.stdout.write(wanted)
