/** A converter that a PDF has taken over: tries what its input names, and answers what came of each. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

export interface Attempts {
  read: string[]
  write: string[]
  /** Ports of this machine, and paths of sockets. */
  connect: Array<number | string>
  /** Processes that a signal is tried on. */
  signal: number[]
  execute: string[]
}

export interface Outcomes {
  /** What it got at, as the input names it. */
  reached: string[]
  environment: NodeJS.ProcessEnv
  root: string[]
}

const chunks: Buffer[] = []
for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
const attempts = JSON.parse(Buffer.concat(chunks).toString()) as Attempts
const reached: string[] = []

function attempt (name: string, does: () => void): void {
  try {
    does()
    reached.push(name)
  } catch { /* refused: that is what the test wants to see */ }
}

for (const path of attempts.read) attempt(`read ${path}`, () => { readFileSync(path) })
for (const path of attempts.write) attempt(`write ${path}`, () => { writeFileSync(path, 'taken over') })
for (const pid of attempts.signal) attempt(`signal ${pid}`, () => { process.kill(pid, 0) })
for (const command of attempts.execute) attempt(`execute ${command}`, () => { execFileSync(command, { timeout: 5_000 }) })
for (const address of attempts.connect) {
  const isConnected = await new Promise<boolean>((resolve) => {
    const socket = typeof address === 'number' ? connect(address, '127.0.0.1') : connect(address)
    socket.once('connect', () => { resolve(true) }).once('error', () => { resolve(false) })
  })
  if (isConnected) reached.push(`connect ${address}`)
}
let root: string[] = []
attempt('list /', () => { root = readdirSync('/') })
process.stdout.write(JSON.stringify({ markdown: JSON.stringify({ reached, environment: process.env, root } satisfies Outcomes) }), () => { process.exit() })
