/**
 * A variable that may be given by its `…_FILE` is called in messages as it was given: who has set MONGODB_URL_FILE does not look for a MONGODB_URL. So no text in the code has such a name in
 * it; it is put in (`saidBy`, `Config.mongodbUrlVariable`, `Credential.variable`).
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { packageRoot } from '../../src/package-root.js'
import { environmentVariables } from '../../src/environment.js'

const either = environmentVariables.filter((name) => environmentVariables.includes(`${name}_FILE`))

/** What says which to set, where none is. */
const advice: Record<string, string> = {
  'src/embedded/install-secantusdb.ts': 'no server could be installed, and none was named',
  'src/embedded/find-mongodb.ts': 'the same, of one that is not on the PATH',
  'src/cli/doctor/mongodb.ts': 'the same in the doctor\'s words; and what a shell is to put in, by which was given',
  'src/tracing/tracing-config.ts': 'where a password belongs that stands in the collector\'s address'
}

/** Pieces of text in a program with a name of these among other words; a name by itself is a key, not a message. */
function messagesNaming (names: readonly string[], text: string): string[] {
  const found: string[] = []
  const named = new RegExp(`\\b(?:${names.join('|')})\\b`)
  if (!named.test(text)) return found
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || node.kind === ts.SyntaxKind.TemplateHead || node.kind === ts.SyntaxKind.TemplateMiddle || node.kind === ts.SyntaxKind.TemplateTail
    const piece = isText ? (node as ts.LiteralLikeNode).text : ''
    if (named.test(piece) && !names.includes(piece)) found.push(piece)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest))
  return found
}

t.test('names in messages are found, in every kind of text, and in no other', async (t) => {
  const names = ['A_URL']
  const template = ['`see A_URL: $', '{b} or A_URL, $', '{c}, A_URL`'].join('')
  t.strictSame(messagesNaming(names, `const a = 'set A_URL'; const d = ${template}`), ['set A_URL', 'see A_URL: ', ' or A_URL, ', ', A_URL'])
  t.strictSame(messagesNaming(names, '/** A_URL */ const a = env[\'A_URL\']; const b = env.A_URL; const c = \'A_URL_FILE\''), [])
})

t.test('no message has the name of a variable that may have been given by a file', async (t) => {
  t.match(either.sort(), ['AUTH_JWT_SECRET', 'KAFKA_SASL_PASSWORD', 'KAFKA_SASL_USERNAME', 'MONGODB_URL', 'OTEL_EXPORTER_OTLP_HEADERS'])
  const root = packageRoot()
  const files = (await readdir(join(root, 'src'), { recursive: true })).filter((name) => name.endsWith('.ts')).map((name) => join(root, 'src', name))
  t.ok(files.length > 100)
  const naming = new Map<string, string[]>()
  for (const file of files) {
    const messages = messagesNaming(either, await readFile(file, 'utf8'))
    if (messages.length > 0) naming.set(relative(root, file), messages)
  }
  t.strictSame([...naming.keys()].sort(), Object.keys(advice).sort(), JSON.stringify([...naming]))
})
