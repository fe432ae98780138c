/** Makes every list and every long text of a schema count against the budget of its answer (answer-budget.ts), those of tomorrow included. */
import {
  defaultFieldResolver, getNamedType, getNullableType, isIntrospectionType, isLeafType, isListType, isObjectType, Kind,
  type FieldNode, type GraphQLField, type GraphQLObjectType, type GraphQLResolveInfo, type GraphQLSchema, type SelectionSetNode
} from 'graphql'
import type { MercuriusContext } from 'mercurius'

/** A field with a resolver, such as a batched look-up, against one that is only read. */
const resolverWeight = 4

/** Call it once all resolvers and loaders are in place. */
export function countAnswers (schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type) || type === schema.getSubscriptionType()) continue
    for (const field of Object.values(type.getFields())) {
      if (isListType(getNullableType(field.type))) countList(field as Field)
      else if (isLeafType(getNamedType(field.type))) countText(field as Field)
    }
  }
}

type Field = GraphQLField<unknown, MercuriusContext>

function countText (field: Field): void {
  const resolve = field.resolve ?? defaultFieldResolver
  field.resolve = (source, args, context, info) => {
    const value: unknown = resolve(source, args, context, info)
    if (typeof value === 'string') context.budget.take('characters', value.length)
    return value
  }
}

function countList (field: Field): void {
  const resolve = field.resolve ?? defaultFieldResolver
  const counted = (value: unknown, { budget }: MercuriusContext, info: GraphQLResolveInfo): unknown => {
    if (!Array.isArray(value)) return value
    budget.take('fields', value.length * fieldsOfEach(info))
    let characters = 0
    for (const each of value) if (typeof each === 'string') characters += each.length
    budget.take('characters', characters)
    return value
  }
  field.resolve = (source, args, context, info) => {
    const value: unknown = resolve(source, args, context, info)
    return value instanceof Promise ? value.then((list) => counted(list, context, info)) : counted(value, context, info)
  }
}

/** Documents are kept, and so are their nodes. */
const known = new WeakMap<FieldNode, number>()

/** How many fields an element of this list has, as far as the next list below it, which counts by itself. */
function fieldsOfEach ({ fieldNodes, returnType, fragments }: GraphQLResolveInfo): number {
  const type = getNamedType(returnType)
  if (!isObjectType(type)) return 1
  return fieldNodes.reduce((sum, node) => {
    const count = known.get(node) ?? fieldsIn(node.selectionSet, type, fragments)
    known.set(node, count)
    return sum + count
  }, 1)
}

function fieldsIn (set: SelectionSetNode | undefined, type: GraphQLObjectType, fragments: GraphQLResolveInfo['fragments']): number {
  let count = 0
  for (const selection of set?.selections ?? []) {
    if (selection.kind !== Kind.FIELD) {
      count += fieldsIn((selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection)?.selectionSet, type, fragments)
      continue
    }
    const field = type.getFields()[selection.name.value]
    const inner = field === undefined ? undefined : getNamedType(field.type)
    if (field === undefined || inner === undefined) count++
    else if (isListType(getNullableType(field.type))) count += resolverWeight
    else if (isObjectType(inner)) count += resolverWeight + fieldsIn(selection.selectionSet, inner, fragments)
    else count++
  }
  return count
}
