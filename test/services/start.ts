/**
 * `npm run services`: the same real parts as the tests', for a developer. Prints what to put into the environment of
 * `npm start`, and stops the parts at Ctrl-C. Nothing is kept: every start begins with empty ones.
 */
import { once } from 'node:events'
import { describeFailure } from './parts/describe-failure.js'
import { startRealParts } from './parts/real-parts.js'
import { say } from './parts/say.js'

const interruption = new AbortController()
const interrupted = once(interruption.signal, 'abort')
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => { interruption.abort() })

try {
  const parts = await startRealParts()
  const environment = {
    MONGODB_URL: parts.mongodbUrl,
    KAFKA_BROKERS: parts.kafkaBrokers,
    SFTP_URL: parts.sftpUrl,
    SFTP_PRIVATE_KEY_FILE: parts.sftpPrivateKeyFile
  }
  for (const [name, value] of Object.entries(environment)) process.stdout.write(`export ${name}='${value}'\n`)
  say(`a vendor's files belong into ${parts.sftpRoot}/<vendor>/incoming/ (make it with mode 777: the service removes old files)`)
  say('Ctrl-C stops and removes everything')
  // A pending promise alone does not keep the process.
  const staying = setInterval(() => {}, 60_000)
  if (!interruption.signal.aborted) await interrupted
  clearInterval(staying)
  say('stopping')
  await parts.stop()
} catch (error) {
  say(describeFailure(error))
  process.exitCode = 1
}
