import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { loadConfig } from '../../../src/config.js'
import { deployFile, imageEnvironment, projectFile } from './deployment.js'

const dockerfile = await deployFile('Dockerfile')
const [build = '', final = ''] = dockerfile.split(/^(?=FROM )/m).slice(1)

t.test('it is built in one stage and run in another, which has no compiler', (t) => {
  t.match(build, /AS build\n/)
  t.match(final, 'COPY --from=build')
  t.notMatch(final, /g\+\+|make|python3|npm/)
  t.end()
})

t.test('it does not run as root', (t) => {
  const users = Array.from(final.matchAll(/^USER (.+)$/gm), ([, user]) => user)
  t.strictSame(users, ['node'])
  t.ok(final.indexOf('\nUSER ') < final.indexOf('\nCMD '))
  t.end()
})

t.test('what it copies is there, and sent to the builder', async (t) => {
  const sent = (await deployFile('Dockerfile.dockerignore')).match(/^!.+$/gm)?.map((line) => line.slice(1)) ?? []
  for (const [, paths = ''] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
    for (const path of paths.split(' ')) {
      t.ok(existsSync(projectFile(path)), path)
      t.ok(sent.some((name) => path === name || path.startsWith(`${name}/`)), `${path} is sent`)
    }
  }
})

t.test('it runs the program that npm start runs, and node gets the signals', async (t) => {
  const { scripts } = JSON.parse(await readFile(projectFile('package.json'), 'utf8')) as { scripts: Record<string, string> }
  const command = JSON.parse(/^CMD (.+)$/m.exec(final)?.[1] ?? '[]') as string[]
  const env = await imageEnvironment()
  const own = ['UV_THREADPOOL_SIZE', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_'].map((name) => `${name}=\${${name}:-${env[name]}}`).join(' ')
  t.equal(`${own} exec ${command.join(' ')}`, scripts['start'])
})

t.test('every stage is the one image, whose tag says exactly which Node, one that has fixes', (t) => {
  const stages = Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, image]) => image)
  t.equal(stages.length, 2)
  for (const image of stages) t.equal(image, '$' + '{NODE_IMAGE}')
  const images = Array.from(dockerfile.matchAll(/^ARG NODE_IMAGE=(.+)$/gm), ([, image]) => image)
  t.equal(images.length, 1)
  const [, major] = /^node:(\d+)\.\d+\.\d+-bookworm-slim(?:@sha256:[0-9a-f]{64})?$/.exec(images[0] ?? '') ?? []
  t.ok(Number(major) >= 24, String(images[0]))
  t.end()
})

t.test('its ports are those that the service is told, and its health check asks one of them', async (t) => {
  const env = await imageEnvironment()
  const { port, sftpPort, opsPort } = loadConfig(env)
  t.strictSame(/^EXPOSE (.+)$/m.exec(final)?.[1]?.split(' ').map(Number), [port, sftpPort, opsPort])
  t.match(final, /^HEALTHCHECK [^]*process\.env\.OPS_PORT \+ '\/healthz'/m)
})

t.test('gunzip and files have threads left when every client of Kafka waits in one', async (t) => {
  const { UV_THREADPOOL_SIZE: threads } = await imageEnvironment()
  t.equal(threads, '16')
})

t.test('its data folder is a volume that its user may write to', async (t) => {
  const { DATA_DIR: folder = '' } = await imageEnvironment()
  t.match(final, `VOLUME ${folder}\n`)
  t.match(final, `install -d -o node -g node -m 0700 ${folder}\n`)
})
