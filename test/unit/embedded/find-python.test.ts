import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findPython, type Python } from '../../../src/embedded/find-python.js'
import { testFolder } from '../../support/test-folder.js'
import { stubProgram } from './stub-program.js'

/** A machine on whose PATH a version manager's folder comes before the operating system's. */
function machine (t: Test): { system: string, manager: string, find: () => Promise<Python | undefined> } {
  const folder = testFolder(t)
  const [system, manager] = [join(folder, 'system'), join(folder, 'manager')]
  return { system, manager, find: async () => await findPython({ PATH: `${manager}:${system}` }, system) }
}

const python = async (folder: string, name: string, version: string): Promise<string> => await stubProgram(join(folder, name), `echo ${version}`)

t.test("the operating system's Python is taken before a newer one of a version manager", async (t) => {
  const { system, manager, find } = machine(t)
  await python(manager, 'python3.13', '3.13')
  const command = await python(system, 'python3.11', '3.11')
  t.strictSame(await find(), { command, version: '3.11' })
})

t.test("a version manager's is taken where the operating system's lacks venv", async (t) => {
  const { system, manager, find } = machine(t)
  await stubProgram(join(system, 'python3.11'), 'echo "No module named ensurepip" >&2; exit 1')
  const command = await python(manager, 'python3.12', '3.12')
  t.strictSame(await find(), { command, version: '3.12' })
})

t.test("the operating system's folder does not matter when the PATH does not name it", async (t) => {
  const { system, manager } = machine(t)
  await python(system, 'python3.12', '3.12')
  const command = await python(manager, 'python3', '3.10')
  t.strictSame(await findPython({ PATH: manager }, system), { command, version: '3.10' })
})

t.test("in the operating system's folder a python3 without a version in its name is not run before others", async (t) => {
  const { system, manager, find } = machine(t)
  await python(system, 'python3', '3.12')
  const command = await python(manager, 'python3', '3.11')
  t.strictSame(await find(), { command, version: '3.11' })
})
