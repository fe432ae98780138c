/** For a process of the service, or of its command line, that a test starts: its commands to the database are written down where those of the whole run are (support/record-commands). */
import { fileURLToPath } from 'node:url'

/** What Node loads first. */
export const recorder = fileURLToPath(new URL('./record-commands.js', import.meta.url))

/** `env` with what the recorder needs; as it is where nobody has asked for it. */
export function recordedEnvironment (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folder = env['TEST_COMMANDS_FOLDER'] ?? process.env['TEST_COMMANDS_FOLDER']
  if (folder === undefined) return env
  const { NODE_OPTIONS: options } = env
  return { ...env, TEST_COMMANDS_FOLDER: folder, NODE_OPTIONS: `${options === undefined ? '' : `${options} `}--import=${recorder}` }
}
