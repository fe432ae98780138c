import { buildSchema } from 'graphql'
import t from 'tap'
import { guardRootFields } from '../../../../src/api/auth/guard.js'
import { assertRulesCover, rules } from '../../../../src/api/auth/rules.js'
import { readSchemaText } from '../../../../src/api/graphql/schema-text.js'

t.test('every root field of the schema has a rule', async (t) => {
  const schema = buildSchema(await readSchemaText())
  t.doesNotThrow(() => { assertRulesCover(schema) })
})

t.test('a root field without a rule stops the start', (t) => {
  const schema = buildSchema('type Query { open: Int } type Mutation { drop: Int }')
  t.throws(() => { assertRulesCover(schema, { Query: { open: 'PRODUCT_MANAGE' }, Mutation: {}, Subscription: {} }) }, /Mutation\.drop/)
  t.throws(() => { assertRulesCover(schema, { Query: { open: 'PRODUCT_MANAGE', gone: 'VIEW_NPS' }, Mutation: { drop: 'VIEW_PII' }, Subscription: {} }) }, /Query\.gone/)
  t.end()
})

t.test('a resolver without a rule stops the start', (t) => {
  t.throws(() => guardRootFields({ Query: { open: () => 1 }, Mutation: {}, Subscription: {} }, rules), /Query\.open/)
  t.end()
})
