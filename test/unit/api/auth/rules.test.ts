import { buildSchema } from 'graphql'
import t from 'tap'
import { guardRootFields } from '../../../../src/api/auth/guard.js'
import { assertRulesCover, isInPerson, rules, type Rule, type RuleTable } from '../../../../src/api/auth/rules.js'
import type { AuditTrail } from '../../../../src/store/access/audit-trail.js'
import { readSchemaText } from '../../../../src/api/graphql/schema-text.js'

const audit: AuditTrail = async (_audited, operation) => await operation()

t.test('every root field of the schema has a rule', async (t) => {
  const schema = buildSchema(await readSchemaText())
  t.doesNotThrow(() => { assertRulesCover(schema) })
})

t.test('every mutation that makes or changes a key takes a person, also one that is added tomorrow; a revoke does not', async (t) => {
  const mutations = Object.values(buildSchema(await readSchemaText()).getMutationType()?.getFields() ?? {})
  const ofKeys = mutations.map(({ name }) => name).filter((name) => /key/i.test(name))
  t.ok(ofKeys.length >= 5)
  const inPerson = ofKeys.filter((name) => isInPerson((rules.Mutation as Record<string, Rule>)[name] ?? 'ANY_CREDENTIAL'))
  t.strictSame(inPerson, ofKeys.filter((name) => !name.startsWith('revoke')))
})

t.test('a root field without a rule stops the start', (t) => {
  const schema = buildSchema('type Query { open: Int } type Mutation { drop: Int }')
  t.throws(() => { assertRulesCover(schema, { Query: { open: 'PRODUCT_MANAGE' }, Mutation: {}, Subscription: {} }) }, /Mutation\.drop/)
  t.throws(() => { assertRulesCover(schema, { Query: { open: 'PRODUCT_MANAGE', gone: 'VIEW_NPS' }, Mutation: { drop: 'VIEW_PII' }, Subscription: {} }) }, /Query\.gone/)
  t.end()
})

t.test('a resolver without a rule stops the start', (t) => {
  t.throws(() => guardRootFields({ Query: { open: () => 1 }, Mutation: {}, Subscription: {} }, { audit }), /Query\.open/)
  t.end()
})

t.test('a resolver that gets another root than its rule gives stops the start', (t) => {
  const table = (rule: Rule): RuleTable => ({ Query: { mine: rule }, Mutation: {}, Subscription: {} })
  const none = { Query: {}, Mutation: {}, Subscription: {} }
  const resolvers = { mine: () => 1 }
  t.throws(() => guardRootFields({ ...none, Query: resolvers }, { audit, table: table('USER') }), /Query\.mine/)
  t.throws(() => guardRootFields({ ...none, ofUser: { Query: resolvers, Mutation: {} } }, { audit, table: table('VIEW_PII') }), /Query\.mine/)
  t.doesNotThrow(() => guardRootFields({ ...none, ofUser: { Query: resolvers, Mutation: {} } }, { audit, table: table('USER') }))
  t.end()
})
