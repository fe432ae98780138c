/**
 * `npm run test:node -- VERSION [FILE…]`: all tests (or the compiled files that are named) on another version of Node: 20.19.x, 22, 24. A
 * version is what npm calls a range; the newest within it is taken.
 *
 * The binary, with the headers that native modules are built against, is an npm package for each platform, the ones that the package
 * `node` chooses from. It and a copy of this checkout with its own node_modules stay in the user's cache folder, since building
 * native modules takes minutes; what changes here is copied at each run.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [version, ...files] = process.argv.slice(2)
if (version === undefined || !/^\d+(\.(\d+|x))*$/.test(version)) {
  process.stderr.write('Say which version: npm run test:node -- 24\n')
  process.exit(2)
}

const project = fileURLToPath(new URL('..', import.meta.url))
const givenCache = process.env['XDG_CACHE_HOME'] ?? ''
const cache = join(isAbsolute(givenCache) ? givenCache : join(homedir(), '.cache'), 'merchant-catalog', `node-${version}`)
const checkout = join(cache, 'checkout')
const binary = `node-${process.platform}-${process.arch}`

/** Ends this process with the command's exit code unless it succeeds. */
function run (command, args, options) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

mkdirSync(checkout, { recursive: true })
run('npm', ['install', '--prefix', cache, '--no-save', '--no-package-lock', `${binary}@${version}`], { cwd: cache })
const nodeFolder = dirname(createRequire(join(cache, 'package.json')).resolve(`${binary}/package.json`))
/** npm is a script: it runs on the first node of the PATH, and so does all that it runs. */
const env = { ...process.env, PATH: [join(nodeFolder, 'bin'), process.env['PATH']].join(delimiter), npm_config_nodedir: nodeFolder }

for (const name of readdirSync(checkout)) {
  if (name !== 'node_modules') rmSync(join(checkout, name), { recursive: true })
}
const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'], { cwd: project, maxBuffer: Infinity })
const { stdout: deleted } = spawnSync('git', ['ls-files', '-z', '--deleted'], { cwd: project, maxBuffer: Infinity })
if (status !== 0) throw new Error('git ls-files has failed')
const gone = new Set(deleted.toString().split('\0'))
for (const name of stdout.toString().split('\0').filter((name) => name !== '' && !gone.has(name))) {
  mkdirSync(dirname(join(checkout, name)), { recursive: true })
  copyFileSync(join(project, name), join(checkout, name))
}

run('node', ['--version'], { cwd: checkout, env })
run('npm', ['install', '--no-save'], { cwd: checkout, env })
if (files.length === 0) run('npm', ['test'], { cwd: checkout, env })
else run('node', ['dist/test/run.js', ...files], { cwd: checkout, env })
