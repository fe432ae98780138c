import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { installSecantusdb } from '../../../src/embedded/install-secantusdb.js'
import { uncompiledPath } from '../../../src/embedded/uncompiled-path.js'
import { stubProgram } from './stub-program.js'
import { testFolder } from '../../support/test-folder.js'

interface Machine {
  env: NodeJS.ProcessEnv
  bin: string
  cache: string
  /** The pip runs so far. */
  installs (): Promise<number>
}

async function machine (t: Test): Promise<Machine> {
  const folder = testFolder(t, { 'pip.log': '' })
  return {
    env: { PATH: join(folder, 'bin'), XDG_CACHE_HOME: join(folder, 'cache') },
    bin: join(folder, 'bin'),
    cache: join(folder, 'cache', 'merchant-catalog'),
    installs: async () => (await readFile(join(folder, 'pip.log'), 'utf8')).split('\n').length - 1
  }
}

/** Behaves like a Python of that version as far as the installation can see; `pip` is what its pip does. */
async function stubPython ({ bin }: Machine, name: string, version: string, pip = 'exit 0'): Promise<void> {
  await stubProgram(join(bin, name), `
    case "$*" in
      *'-m venv'*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
      *'-m pip'*) echo run >> '${join(bin, '..', 'pip.log')}'; ${pip} ;;
      *'-m secantus'*) exit 0 ;;
      *) echo ${version} ;;
    esac`)
}

const waysOut = /install Python 3\.10 to 3\.13 with its venv module; put mongod or secantusd-rs on the PATH; set MONGODB_URL/

t.test('without any Python, the message names the three ways out', async (t) => {
  const { env } = await machine(t)
  await t.rejects(installSecantusdb({ env }), { kind: 'fatal', message: waysOut })
})

t.test('a Python that is too old is as good as none', async (t) => {
  const here = await machine(t)
  await stubPython(here, 'python3', '3.9')
  await t.rejects(installSecantusdb(here), { kind: 'fatal', message: waysOut })
})

t.test('a Python that there are no wheels for yet is as good as none', async (t) => {
  const here = await machine(t)
  await stubPython(here, 'python3', '3.14')
  await t.rejects(installSecantusdb(here), { message: waysOut })
})

t.test('a Python without venv is as good as none', async (t) => {
  const here = await machine(t)
  await stubProgram(join(here.bin, 'python3.12'), 'echo "No module named ensurepip" >&2; exit 1')
  await t.rejects(installSecantusdb(here), { message: waysOut })
})

t.test("a version manager's placeholder is passed over for a Python that works", async (t) => {
  const here = await machine(t)
  await stubProgram(join(here.bin, 'python3.13'), 'echo "python3.13: command not found" >&2; exit 127')
  await stubPython(here, 'python3', '3.11')
  t.match(await installSecantusdb(here), /secantusdb-[\w.]+-py3\.11\/bin\/python$/)
})

t.test('a second start installs nothing, and needs no Python on the PATH', async (t) => {
  const here = await machine(t)
  await stubPython(here, 'python3.12', '3.12')
  const python = await installSecantusdb(here)
  t.equal(await installSecantusdb({ env: { ...here.env, PATH: '' } }), python)
  t.equal(await here.installs(), 1)
})

t.test('several that install at once install once', async (t) => {
  const here = await machine(t)
  await stubPython(here, 'python3.12', '3.12', 'sleep 0.3')
  const pythons = await Promise.all([1, 2, 3].map(async () => await installSecantusdb(here)))
  t.equal(new Set(pythons).size, 1)
  t.equal(await here.installs(), 1)
})

t.test('when pip fails, its last lines are shown together with the ways out', async (t) => {
  const here = await machine(t)
  await stubPython(here, 'python3.12', '3.12', 'echo "ERROR: hashes do not match" >&2; exit 1')
  const failure = installSecantusdb(here)
  await t.rejects(failure, { kind: 'retryable', message: /hashes do not match/ })
  await t.rejects(failure, { message: waysOut })
})

t.test('what a failed installation has left is started over', async (t) => {
  const here = await machine(t)
  await stubPython(here, 'python3.12', '3.12', 'touch "$(dirname "$0")/half"; exit 1')
  await t.rejects(installSecantusdb(here))
  await stubPython(here, 'python3.12', '3.12')
  const python = await installSecantusdb(here)
  t.strictSame(await readdir(join(python, '..')), ['python'])
})

t.test('an environment made from other requirements is made anew', async (t) => {
  const here = await machine(t)
  await stubPython(here, 'python3.12', '3.12')
  const python = await installSecantusdb(here)
  await writeFile(join(python, '..', '..', '.complete'), '{"requirementsHash":"of an older release"}')
  await installSecantusdb(here)
  t.equal(await here.installs(), 2)
})

t.test('the requirements pin every package by hash and name no host', async (t) => {
  const text = await readFile(uncompiledPath('secantusdb-requirements.txt'), 'utf8')
  t.notMatch(text, /https?:|index-url|find-links/)
  const pins = text.replaceAll('\\\n', '').split('\n').filter((line) => /^\w/.test(line))
  t.ok(pins.length > 5)
  t.ok(pins.every((line) => /^[\w-]+==\S+.*--hash=sha256:[0-9a-f]{64}/.test(line)))
})
