/**
 * A bound on what an operation can make this process resolve: each field costs 1, times the elements of the lists that it is in. The
 * row budget (row-budget.ts) bounds what is read; this bounds what is made of it, such as hundreds of aliases below one long
 * list. Throws BAD_USER_INPUT.
 */
import {
  getNullableType, isInputObjectType, isListType, isObjectType, Kind, valueFromASTUntyped, type DocumentNode, type FieldNode,
  type FragmentDefinitionNode, type GraphQLField, type GraphQLObjectType, type GraphQLSchema, type OperationDefinitionNode,
  type SelectionSetNode, type ValueNode
} from 'graphql'
import { badInput } from '../../../errors.js'

/** Measured: 2 to 3 µs a field, so a second or so at the very worst; the largest page with all its fields costs a tenth of it. */
const maxCost = 500_000
/** A list that no argument bounds, such as a product's variants. */
const usualListLength = 10
/** Arguments that say how many elements there are at most. */
const countArguments = ['first', 'last', 'limit']

/** Documents are kept (kept-documents.ts): one that asks for no more than it may, whatever its variables are, is looked at once. */
const alwaysWithin = new WeakSet<DocumentNode>()

/** Expects a document that is valid and within the other limits, so recursion and fragments are bounded. */
export function checkCost (schema: GraphQLSchema, document: DocumentNode, variables: Record<string, unknown> = {}): void {
  if (alwaysWithin.has(document)) return
  let isFixed = true
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const root = schema.getRootType(definition.operation)
    if (root === undefined || root === null) continue
    const around = { schema, fragments, variables: { ...defaultsOf(definition), ...variables }, dependsOnVariables: false }
    if (costOf(around, definition.selectionSet, root, 0) > maxCost) {
      throw badInput('The operation asks for too much at once; select fewer fields or smaller pages')
    }
    if (around.dependsOnVariables) isFixed = false
  }
  if (isFixed) alwaysWithin.add(document)
}

/** What the operation's variables are where nothing else is given. */
export const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> => Object.fromEntries(
  variableDefinitions.flatMap(({ variable, defaultValue }) => defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]])
)

interface Surroundings {
  schema: GraphQLSchema
  fragments: Map<string, FragmentDefinitionNode>
  variables: Record<string, unknown>
  /** Set once they have been looked at. */
  dependsOnVariables: boolean
}

/** `inherited`: how many elements the field above was asked for, which is the length of a list right below it (connections); 0 = not asked. */
function costOf (around: Surroundings, set: SelectionSetNode, type: GraphQLObjectType, inherited: number): number {
  let cost = 0
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) cost += costOfField(around, selection, type, inherited)
    else {
      const spread = selection.kind === Kind.INLINE_FRAGMENT ? selection : around.fragments.get(selection.name.value)
      if (spread !== undefined) cost += costOf(around, spread.selectionSet, type, inherited)
    }
    if (cost > maxCost) break
  }
  return cost
}

function costOfField (around: Surroundings, node: FieldNode, type: GraphQLObjectType, inherited: number): number {
  const field = type.getFields()[node.name.value]
  // __typename and introspection; the latter is bounded by its own rule of graphql-js.
  if (field === undefined) return 1
  const asked = countAskedFor(node, field, around)
  const inner = objectIn(field.type)
  const isList = isListType(getNullableType(field.type))
  const length = isList ? asked ?? (inherited > 0 ? inherited : usualListLength) : 1
  if (node.selectionSet === undefined || inner === undefined) return length
  const passedOn = isList ? 0 : asked ?? Math.max(0, inherited)
  return 1 + length * costOf(around, node.selectionSet, inner, passedOn)
}

/** Said by an argument, or by a field of the argument `input`. */
function countAskedFor (node: FieldNode, field: GraphQLField<unknown, unknown>, around: Surroundings): number | undefined {
  for (const { name, type, defaultValue } of field.args) {
    const given = node.arguments?.find((argument) => argument.name.value === name)
    const read = (): unknown => given === undefined ? undefined : valueOf(given.value, around)
    if (countArguments.includes(name)) return asCount(read() ?? defaultValue)
    const input = getNullableType(type)
    if (name === 'input' && isInputObjectType(input)) {
      const value = read()
      const count = Object.values(input.getFields()).find((inner) => countArguments.includes(inner.name))
      if (count !== undefined) return asCount((value as Record<string, unknown> | null | undefined)?.[count.name] ?? count.defaultValue)
    }
  }
  return undefined
}

function valueOf (node: ValueNode, around: Surroundings): unknown {
  if (node.kind !== Kind.INT) around.dependsOnVariables = true
  return valueFromASTUntyped(node, around.variables)
}

const asCount = (value: unknown): number | undefined => typeof value === 'number' && value >= 0 ? value : undefined

/** The object type inside of list and non-null. */
function objectIn (type: unknown): GraphQLObjectType | undefined {
  let inner = type
  while (typeof inner === 'object' && inner !== null && 'ofType' in inner) inner = inner.ofType
  return isObjectType(inner) ? inner : undefined
}
