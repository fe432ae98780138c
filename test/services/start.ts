/**
 * `npm run services`: the same real parts as the tests', for a developer. Prints what to put into the environment of
 * `npm start`, and stops the parts at Ctrl-C. Nothing is kept: every start begins with empty ones.
 */
import { once } from 'node:events'
import { constants } from 'node:os'
import { describeFailure } from './parts/describe-failure.js'
import { startRealParts } from './parts/real-parts.js'
import { say } from './parts/say.js'

const interruption = new AbortController()
let isReady = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // What is being fetched and started ends with this process, and its folders are removed.
    if (!isReady) process.exit(128 + constants.signals[signal])
    interruption.abort()
  })
}

try {
  const parts = await startRealParts('catalog.')
  isReady = true
  const environment = {
    MONGODB_URL: parts.mongodbUrl,
    MIGRATE: 'auto',
    ...parts.kafka,
    SFTP_URL: parts.sftpUrl,
    SFTP_PRIVATE_KEY_FILE: parts.sftpPrivateKeyFile,
    SFTP_HOST_KEY_FINGERPRINT: parts.sftpHostKeyFingerprint
  }
  for (const [name, value] of Object.entries(environment)) process.stdout.write(`export ${name}='${value}'\n`)
  say(`a vendor's files belong into ${parts.sftpRoot}/<vendor>/incoming/ (make it with mode 777: the service removes old files)`)
  say('Ctrl-C stops and removes everything')
  // Its children keep this process running until then.
  await once(interruption.signal, 'abort')
  say('stopping')
  await parts.stop()
} catch (error) {
  say(describeFailure(error))
  process.exitCode = 1
}
