/** Resolvers of the stored catalog. */
import { readLineMark, visibilityOf, type LineMark } from '../../../domain/product.js'
import type { Repositories } from '../../../store/repositories.js'
import { vendorOf } from '../../auth/access.js'
import { productCursor } from '../cursors.js'
import type { ImportLine, ProductResolvers, QueryResolvers } from '../generated.js'
import { toProductNode } from '../nodes.js'
import { pageSize } from '../limits/page-size.js'

const productPage = { min: 1, max: 200, default: 50 }

export function createProductResolvers ({ products }: Pick<Repositories, 'products'>) {
  const Query = {
    async product (caller, { vendorId, externalId }) {
      const found = await products.findByExternalId(vendorOf(caller, vendorId), externalId)
      return found === null ? null : toProductNode(found)
    },

    async products (caller, { vendorId: named, archived: asked, first: wanted, cursor }, { rows }) {
      const vendorId = vendorOf(caller, named)
      const first = pageSize(wanted, productPage)
      rows.take('node', first)
      const archived = asked ?? null
      const after = cursor === undefined || cursor === null ? null : productCursor.decode(cursor)
      const page = await products.page(vendorId, { archived, first, after })
      const last = page.nodes.at(-1)
      return {
        nodes: page.nodes.map(toProductNode),
        hasNextPage: page.hasNextPage,
        endCursor: last === undefined ? null : productCursor.encode(last),
        totalCount: async () => await products.count(vendorId, archived),
        facets: null
      }
    }
  } satisfies QueryResolvers

  const Product = {
    visibility: (product) => visibilityOf(product, new Date()),
    importedFrom: ({ writtenBy }) => writtenBy === null ? null : toImportLine(writtenBy)
  } satisfies ProductResolvers

  return { Query, Product }
}

function toImportLine (mark: LineMark): ImportLine {
  const { jobId, file, line } = readLineMark(mark)
  return { jobId, fileNumber: file + 1, line }
}
