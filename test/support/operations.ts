/** One operation for every root field of the schema, made from it, so that what is added tomorrow is tried by itself. */
import type { InjectOptions } from 'fastify'
import {
  buildSchema, getNamedType, getNullableType, isEnumType, isInputObjectType, isLeafType, isListType, isRequiredArgument, isRequiredInputField,
  type GraphQLArgument, type GraphQLField, type GraphQLInputField, type GraphQLInputType, type GraphQLSchema
} from 'graphql'
import { readSchemaText } from '../../src/api/graphql/schema-text.js'

export interface Operation {
  /** For messages: `mutation cancelProductImport`. */
  name: string
  type: 'Query' | 'Mutation' | 'Subscription'
  field: string
  /** With the required arguments, and `vendorId` where there is one. */
  text: string
  namesVendor: boolean
  /** An argument, or a field of its input, is the id of something that is not the vendor. */
  takesId: boolean
}

interface Values {
  /** For every `vendorId`. */
  vendorId: string
  /** For every other ID. */
  id: string
}

/** As the service serves it. */
export const schema = async (): Promise<GraphQLSchema> => buildSchema(await readSchemaText())

export function operationsOf (schema: GraphQLSchema, values: Values = { vendorId: 'shop', id: 'x' }): Record<Operation['type'], Operation[]> {
  const all = (type: Operation['type'], fields: Record<string, GraphQLField<unknown, unknown>> = {}): Operation[] =>
    Object.values(fields).map((field) => operationOf(type, field, values))
  return {
    Query: all('Query', schema.getQueryType()?.getFields()),
    Mutation: all('Mutation', schema.getMutationType()?.getFields()),
    Subscription: all('Subscription', schema.getSubscriptionType()?.getFields())
  }
}

const isId = ({ name, type }: GraphQLArgument | GraphQLInputField): boolean => name !== 'vendorId' && getNamedType(type).name === 'ID'
const isSent = (arg: GraphQLArgument | GraphQLInputField): boolean =>
  arg.name === 'vendorId' || isRequired(arg) || (isId(arg) && arg.name !== 'cursor' && !isListType(getNullableType(arg.type)))
const isRequired = (arg: GraphQLArgument | GraphQLInputField): boolean => isRequiredArgument(arg) || isRequiredInputField(arg)

function operationOf (type: Operation['type'], field: GraphQLField<unknown, unknown>, values: Values): Operation {
  const sent = field.args.filter(isSent)
  const args = sent.map((arg) => `${arg.name}: ${literal(arg.type, arg.name, values)}`)
  const call = args.length === 0 ? field.name : `${field.name}(${args.join(', ')})`
  const keyword = type.toLowerCase()
  const inputs = sent.flatMap(({ type }) => {
    const inner = getNullableType(type)
    return isInputObjectType(inner) ? Object.values(inner.getFields()).filter(isSent) : []
  })
  return {
    name: `${keyword} ${field.name}`,
    type,
    field: field.name,
    namesVendor: call.includes('vendorId'),
    takesId: [...sent, ...inputs].some(isId),
    text: `${keyword}${call.includes('$file') ? ' ($file: Upload!)' : ''} { ${call}${isLeafType(getNamedType(field.type)) ? '' : ' { __typename }'} }`
  }
}

/** A literal that the type accepts. */
function literal (type: GraphQLInputType, name: string, values: Values): string {
  const inner = getNullableType(type)
  if (isListType(inner)) return '[]'
  if (isEnumType(inner)) return inner.getValues()[0]?.name ?? ''
  if (isInputObjectType(inner)) {
    const fields = Object.values(inner.getFields()).filter(isSent)
    return `{ ${fields.map((field) => `${field.name}: ${literal(field.type, field.name, values)}`).join(', ')} }`
  }
  switch (inner.name) {
    case 'Int': case 'Float': return '1'
    case 'Boolean': return 'false'
    case 'DateTime': return '"2026-01-01T00:00:00Z"'
    case 'JSON': return '{}'
    case 'Upload': return '$file'
    case 'ID': return JSON.stringify(name === 'vendorId' ? values.vendorId : values.id)
    default: return '"x"'
  }
}

/** Its HTTP request; one that takes a file is a GraphQL multipart request with a file of one byte. */
export function requestOf ({ text }: Operation, headers: Record<string, string>): InjectOptions {
  const request = { method: 'POST', url: '/graphql' } as const
  if (!text.includes('$file')) return { ...request, headers, payload: { query: text } }
  const parts = [
    ['name="operations"', JSON.stringify({ query: text, variables: { file: null } })],
    ['name="map"', JSON.stringify({ 0: ['variables.file'] })],
    ['name="0"; filename="a.pdf"', 'x']
  ]
  const body = parts.map(([name, content]) => `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${content}\r\n`).join('')
  return { ...request, headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' }, payload: `${body}--b--\r\n` }
}
