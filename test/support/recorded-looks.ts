/**
 * What the service has been asking of its databases in a run of system tests, file by file (record-commands writes it down): in processes of its own, on the command line, and in the tests' own processes, where it
 * is what the service's code asks there, however it was called. What tests ask past it is not held, nor are unit tests; `npm run test:services` and `npm run certify` record nothing, for the same
 * files are run here.
 */
import { mkdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Look } from './command-looks.js'
import { faultsOf, nameOf, type Indexes } from './held-commands.js'
import { recorder } from './recorded-environment.js'

export interface RecordedLook {
  look: Look
  /** Names of the test files that it came from. */
  files: string[]
}

/** For spawnFiles: files of system/ and what they start are recorded into `folder`. */
export function recordingInto (folder: string): (file: string) => { flags: string[], env: NodeJS.ProcessEnv } {
  return (file) => {
    if (!/(?:^|\/)system\/[^/]+$/.test(file)) return { flags: [], env: {} }
    const own = join(folder, basename(file, '.test.js'))
    mkdirSync(own, { recursive: true })
    return { flags: [`--import=${recorder}`], env: { TEST_COMMANDS_FOLDER: own } }
  }
}

/** Each shape once. */
export async function recordedLooks (folder: string): Promise<RecordedLook[]> {
  const byLine = new Map<string, Set<string>>()
  for (const file of await readdir(folder)) {
    for (const line of await linesIn(join(folder, file))) byLine.set(line, (byLine.get(line) ?? new Set()).add(file))
  }
  return Array.from(byLine, ([line, files]) => ({ look: JSON.parse(line) as Look, files: [...files].sort() }))
}

/** Of all files in a folder, those in folders of it as well. */
export async function linesIn (folder: string): Promise<Set<string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'))
  const texts = await Promise.all(names.map(async (name) => await readFile(join(folder, name), 'utf8')))
  return new Set(texts.flatMap((text) => text.split('\n')).filter((line) => line !== ''))
}

/** A line for each fault: which shape, what is wrong with it, who has asked. */
export const wordFaults = (recorded: readonly RecordedLook[], indexes: Indexes): string[] =>
  recorded.flatMap(({ look, files }) => faultsOf(look, indexes).map((fault) => `${nameOf(look)}: ${fault} (${files.join(', ')}): ${JSON.stringify(look)}`))
