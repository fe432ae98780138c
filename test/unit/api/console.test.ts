import { gzipSync } from 'node:zlib'
import t from 'tap'
import { testApi } from './test-api.js'

t.test('every address of a page is answered with the document, which nobody keeps', async (t) => {
  const { app } = await testApi(t, { settings: { console: true } })
  for (const url of ['/console', '/console/imports', '/console/catalog/a%2Fb']) {
    const response = await app.inject(url)
    t.equal(response.statusCode, 200, url)
    t.match(response.headers, { 'content-type': /^text\/html/, 'cache-control': 'no-cache' })
    t.match(response.body, '<div id="console"></div>')
  }
})

t.test('nothing but its own scripts and styles may run, and nobody may frame it', async (t) => {
  const { app } = await testApi(t, { settings: { console: true } })
  const { headers, body } = await app.inject('/console')
  const policy = String(headers['content-security-policy'])
  t.match(policy, /^default-src 'self';/)
  t.notMatch(policy, /unsafe|script-src|style-src|connect-src/)
  t.match(policy, /frame-ancestors 'none'/)
  t.equal(headers['x-frame-options'], 'DENY')
  t.equal(headers['referrer-policy'], 'no-referrer')
  t.notMatch(body, /<script>|<style|style=|onload=/)
})

t.test('assets are kept for ever; what is none is not found', async (t) => {
  const { app } = await testApi(t, { settings: { console: true } })
  const [script] = /\/console\/assets\/console-\w+\.js/.exec((await app.inject('/console')).body) ?? []
  const response = await app.inject(String(script))
  t.equal(response.statusCode, 200)
  t.match(response.headers, { 'content-type': /javascript/, 'cache-control': /max-age=31536000, immutable/, 'x-content-type-options': 'nosniff' })
  for (const url of ['/console/assets/none.js', '/console/assets/..%2f..%2fpackage.json', '/console/assets/%2e%2e%2findex.html']) {
    t.equal((await app.inject(url)).statusCode, 404, url)
  }
})

t.test('what is loaded before anything is shown is less than 60 KB, gzipped', async (t) => {
  const { app } = await testApi(t, { settings: { console: true } })
  const document = (await app.inject('/console')).body
  const named = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name)
  let bytes = gzipSync(document).length
  const assets = new Set(named(document, /\/console\/assets\/([\w-]+\.(?:js|css))/g))
  t.ok(assets.size >= 3, [...assets].join(', '))
  for (const name of assets) {
    const { rawPayload, body } = await app.inject(`/console/assets/${name}`)
    bytes += gzipSync(rawPayload).length
    // What is imported in turn; what a page alone needs is asked for by import().
    for (const imported of named(body, /(?:from|import)"\.\/([\w-]+\.js)"/g)) assets.add(imported)
  }
  t.ok(bytes < 60_000, `${bytes} bytes`)
})

t.test('CONSOLE=off leaves it out', async (t) => {
  const { app } = await testApi(t, { settings: { console: false } })
  t.equal((await app.inject('/console')).statusCode, 404)
  t.equal((await app.inject({ method: 'POST', url: '/console/sign-in', payload: { code: 'x' } })).statusCode, 404)
})

t.test('a one-time link\'s code is exchanged for a token; a wrong one is refused, as is any where there is no link', async (t) => {
  const redeemConsoleLink = async (code: string): Promise<string | null> => code === 'good' ? 'a token' : null
  const { app } = await testApi(t, { settings: { console: true }, dependencies: { redeemConsoleLink } })
  const signIn = async (payload: object) => await app.inject({ method: 'POST', url: '/console/sign-in', payload })
  t.strictSame((await signIn({ code: 'good' })).json(), { success: true, token: 'a token' })
  t.equal((await signIn({ code: 'bad' })).statusCode, 401)
  t.equal((await signIn({ code: 1 })).statusCode, 400)
  const { app: without } = await testApi(t, { settings: { console: true } })
  t.equal((await without.inject({ method: 'POST', url: '/console/sign-in', payload: { code: 'good' } })).statusCode, 401)
})
