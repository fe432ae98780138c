/** The served schema holds all of the contract (test/fixtures/contract.graphql), and the generated types are those of the schema. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSchema, isEnumType, isInputObjectType, isObjectType, type GraphQLArgument, type GraphQLInputField, type GraphQLSchema } from 'graphql'
import t from 'tap'
import { packageRoot } from '../../../../src/package-root.js'
import { readSchemaText } from '../../../../src/api/graphql/schema-text.js'

const readFixture = async (name: string): Promise<string> => await readFile(join(packageRoot(), 'test/fixtures', name), 'utf8')

const valueLine = ({ type, defaultValue }: GraphQLArgument | GraphQLInputField): string => `${type.toString()} = ${JSON.stringify(defaultValue)}`

/** Every promise a schema makes, one line each. */
function promisesOf (schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__')).flatMap((type) => {
    const lines = [`${type.constructor.name} ${type.name}`]
    if (isEnumType(type)) return [...lines, ...type.getValues().map(({ name }) => `${type.name}.${name}`)]
    if (isInputObjectType(type)) return [...lines, ...Object.values(type.getFields()).map((field) => `${type.name}.${field.name}: ${valueLine(field)}`)]
    if (!isObjectType(type)) return lines
    return [...lines, ...Object.values(type.getFields()).flatMap((field) => [
      `${type.name}.${field.name}: ${field.type.toString()}`,
      ...field.args.map((argument) => `${type.name}.${field.name}(${argument.name}: ${valueLine(argument)})`)
    ])]
  })
}

t.test('every type, field, argument and default of the contract is served', async (t) => {
  const served = new Set(promisesOf(buildSchema(await readSchemaText())))
  const contract = promisesOf(buildSchema(await readFixture('contract.graphql')))
  t.ok(contract.length > 150, `${contract.length} promises`)
  t.strictSame(contract.filter((promise) => !served.has(promise)), [])
})

t.test('nothing that is required was added to the contract', async (t) => {
  const contract = buildSchema(await readFixture('contract.graphql'))
  for (const type of Object.values(buildSchema(await readSchemaText()).getTypeMap()).filter(isInputObjectType)) {
    const promised = contract.getType(type.name)
    // What is new as a whole, nobody sends yet.
    if (!isInputObjectType(promised)) continue
    const before = promised.getFields()
    const added = Object.values(type.getFields()).filter(({ name }) => before[name] === undefined)
    const required = added.filter(({ type, defaultValue }) => type.toString().endsWith('!') && defaultValue === undefined)
    t.strictSame(required.map(({ name }) => name), [], type.name)
  }
})

t.test('the resolver types are those of the schema: npm run generate:resolver-types', async (t) => {
  const script = pathToFileURL(join(packageRoot(), 'scripts/generate-resolver-types.js')).href
  const { generateResolverTypes } = await import(script) as { generateResolverTypes: () => Promise<Record<string, string>> }
  for (const [name, text] of Object.entries(await generateResolverTypes())) t.equal(await readFile(join(packageRoot(), 'src/api/graphql', name), 'utf8'), text)
})
