/** A product as its page asks for it. */
import type { ProductDetailQuery } from '../api/operations.js'

export type Product = NonNullable<ProductDetailQuery['product']>
