/** Resolvers of the stored catalog. */
import { readLineMark, visibilityOf, type LineMark } from '../../../domain/product.js'
import { badInput, notFound } from '../../../errors.js'
import { isSifted, type ListFilter } from '../../../store/catalog/product-filters.js'
import type { Repositories } from '../../../store/repositories.js'
import { vendorOf } from '../../auth/access.js'
import { productCursor } from '../cursors.js'
import type { ImportLine, ProductResolvers, ProductVisibility, QueryResolvers } from '../generated.js'
import { toProductNode } from '../nodes.js'
import { pageSize } from '../limits/page-size.js'

const productPage = { min: 1, max: 200, default: 50 }

export function createProductResolvers ({ products, storeLocations }: Pick<Repositories, 'products' | 'storeLocations'>) {
  const Query = {
    async product (caller, { vendorId, externalId }) {
      const found = await products.findByExternalId(vendorOf(caller, vendorId), externalId)
      return found === null ? null : toProductNode(found)
    },

    async products (caller, { vendorId: named, archived: asked, visibility, inStock, storeCode, first: wanted, cursor }, { rows }) {
      const vendorId = vendorOf(caller, named)
      const first = pageSize(wanted, productPage)
      rows.take('node', first)
      const after = cursor === undefined || cursor === null ? null : productCursor.decode(cursor)
      const filter: ListFilter = { ...standing(asked ?? null, visibility ?? null), isInStock: inStock ?? false, storeLocationId: null }
      if (typeof storeCode === 'string') {
        const store = await storeLocations.findByCode(vendorId, storeCode)
        if (store === null) throw notFound('There is no such store location')
        // Of a store that is closed nothing can be bought.
        if (!store.isActive) return { nodes: [], hasNextPage: false, endCursor: null, totalCount: async () => 0, facets: null }
        filter.storeLocationId = store._id
      }
      const page = await products.page(vendorId, filter, { first, after })
      return {
        nodes: page.nodes.map(toProductNode),
        hasNextPage: page.hasNextPage,
        endCursor: page.end === null ? null : productCursor.encode(page.end),
        totalCount: async () => isSifted(filter) ? await products.countSifted(vendorId, filter) : await products.count(vendorId, filter.archived),
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

/** A visibility says whether a product is archived, too. Throws BAD_USER_INPUT where it contradicts what is asked of that. */
function standing (archived: boolean | null, visibility: ProductVisibility | null): Pick<ListFilter, 'archived' | 'visibility'> {
  if (visibility === null) return { archived, visibility: null }
  const isArchived = visibility === 'ARCHIVED'
  if (archived !== null && archived !== isArchived) throw badInput(`archived contradicts visibility ${visibility}: leave it out`, 'archived')
  return { archived: isArchived, visibility: visibility === 'ARCHIVED' ? null : visibility }
}
