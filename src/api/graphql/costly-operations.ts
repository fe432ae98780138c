/**
 * Changes that will take long because of what is stored, however small they are to send. They are known before they begin, since a change cannot be
 * begun anew elsewhere as a query can (answer-budget.ts).
 */
import { Kind, OperationTypeNode, visit, valueFromASTUntyped, type DocumentNode, type FieldNode } from 'graphql'
import { isRecord } from '../../domain/reader.js'
import type { Repositories } from '../../store/repositories.js'
import type { GraphqlContext } from './context.js'

/** They rewrite the products or targets that they are about, thousands of them at once. */
const rewriting: ReadonlySet<string> = new Set([
  'deleteStoreLocation', 'deleteFitmentTarget', 'deleteFitmentFacet', 'updateFitmentFacet', 'deleteSizeChart', 'bulkDeleteSizeCharts'
])
/** Of stored text, times what is selected of it: to read, merge and write a megabyte takes some 50 ms, and 10 ms more for each field that is told. */
const maxOwnUnits = 512 * 1_024
/** Told once, such as an external id, text counts once. */
const fieldsPerUnit = 4

export const isChange = (document: DocumentNode): boolean =>
  document.definitions.some((definition) => definition.kind === Kind.OPERATION_DEFINITION && definition.operation !== OperationTypeNode.QUERY)

/** For a document that is valid. */
export async function isCostlyChange (
  document: DocumentNode, variables: Record<string, unknown> | undefined, context: GraphqlContext, { products }: Pick<Repositories, 'products'>
): Promise<boolean> {
  let units = 0
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION || definition.operation !== OperationTypeNode.MUTATION) continue
    // Fragments at the root hold changes, too.
    const fields = changesIn(document)
    if (fields.some(({ name }) => rewriting.has(name.value))) return true
    for (const field of fields) {
      if (field.name.value === 'upsertProducts') units += await storedUnits(field, document, variables ?? {}, context, products)
      if (units > maxOwnUnits) return true
    }
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
  let selected = 0
  visit(document, { Field: () => { selected++ } })
  return size * (1 + Math.floor(selected / fieldsPerUnit))
}
