/** For a process of the service, or of its command line, that a test starts: its commands to the database are written down where those of the whole run are (support/record-commands). */
import { fileURLToPath } from 'node:url'

/** What Node loads first. */
export const recorder = fileURLToPath(new URL('./record-commands.js', import.meta.url))

/** `env` with what the recorder needs; as it is where nobody has asked for it, or it has that already. */
export function recordedEnvironment (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folder = env['TEST_COMMANDS_FOLDER'] ?? process.env['TEST_COMMANDS_FOLDER']
  const { NODE_OPTIONS: options = '' } = env
  if (folder === undefined || options.includes(recorder)) return env
  return { ...env, TEST_COMMANDS_FOLDER: folder, NODE_OPTIONS: `${options} --import=${recorder}`.trimStart() }
}
