/**
 * Changes that will take long because of what is stored, however small they are to send. They are known before they begin, since a change cannot be
 * begun anew elsewhere as a query can (answer-budget.ts).
 */
import { Kind, OperationTypeNode, visit, valueFromASTUntyped, type DocumentNode, type FieldNode, type OperationDefinitionNode } from 'graphql'
import { isRecord } from '../../../domain/reader.js'
import type { Repositories } from '../../../store/repositories.js'
import type { GraphqlContext } from '../context.js'
import { defaultsOf } from './document-cost.js'

/** They rewrite the products or targets that they are about, thousands of them at once. */
const rewriting: ReadonlySet<string> = new Set([
  'deleteStoreLocation', 'deleteFitmentTarget', 'deleteFitmentFacet', 'updateFitmentFacet', 'deleteSizeChart', 'bulkDeleteSizeCharts'
])
/**
 * Of stored text, times what is selected of it. To read, merge and write a megabyte of it takes some 50 ms, in small variants 100 and as long again before it is compiled; and 10 ms
 * more for each field that is told. Beside others who want the same cores it takes as long several times.
 */
const maxOwnUnits = 96 * 1_024
/** Told once, such as an external id, text counts once. */
const fieldsPerUnit = 4

/** Of a document the one operation that is asked for: what others do in it is never done. */
export const isChange = (operation: OperationDefinitionNode): boolean => operation.operation !== OperationTypeNode.QUERY

/** For an operation of a document that is valid. */
export async function isCostlyChange (
  operation: OperationDefinitionNode, document: DocumentNode, variables: Record<string, unknown> | undefined, context: GraphqlContext,
  { products }: Pick<Repositories, 'products'>
): Promise<boolean> {
  if (operation.operation !== OperationTypeNode.MUTATION) return false
  // Fragments at the root hold changes, too.
  const asked = { ...document, definitions: document.definitions.filter((each) => each === operation || each.kind === Kind.FRAGMENT_DEFINITION) }
  const fields = changesIn(asked)
  if (fields.some(({ name }) => rewriting.has(name.value))) return true
  const values = { ...defaultsOf(operation), ...variables }
  let units = 0
  for (const field of fields) {
    units += await storedUnits(field, asked, values, context, products)
    if (units > maxOwnUnits) return true
  }
  return false
}

/** Fields of any name that a change has; what is below them has other names. */
function changesIn (document: DocumentNode): FieldNode[] {
  const found: FieldNode[] = []
  visit(document, { Field: (node) => { if (rewriting.has(node.name.value) || node.name.value === 'upsertProducts') found.push(node) } })
  return found
}

async function storedUnits (
  field: FieldNode, document: DocumentNode, variables: Record<string, unknown>, context: GraphqlContext, products: Repositories['products']
): Promise<number> {
  const value = (name: string): unknown => {
    const argument = field.arguments?.find((each) => each.name.value === name)
    return argument === undefined ? undefined : valueFromASTUntyped(argument.value, variables)
  }
  const vendorId = value('vendorId')
  const entries = value('products')
  const list: unknown[] = Array.isArray(entries) ? entries : [entries]
  const externalIds = list.flatMap((entry) => isRecord(entry) && typeof entry['externalId'] === 'string' ? [entry['externalId']] : [])
  const caller = await context.caller(typeof vendorId === 'string' ? vendorId : undefined)
  const size = await products.storedSize(caller.vendorId, externalIds)
  // Each entry is answered with its product as a whole.
  const answers = mostOfOne(externalIds)
  let selected = 0
  visit(document, { Field: () => { selected++ } })
  return size * (1 + answers * Math.floor(selected / fieldsPerUnit))
}

/** How often the id that is there the most is. */
function mostOfOne (ids: string[]): number {
  const counts = new Map<string, number>()
  let most = 0
  for (const id of ids) {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    if (count > most) most = count
  }
  return most
}
