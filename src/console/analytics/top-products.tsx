/** What chats have sold most of, and the conversations that recommended and sold it. */
import { may } from '../api/session.js'
import { CsvButton } from '../ui/csv-button.js'
import { wordMoney, wordNumber } from '../ui/format.js'
import { Link } from '../ui/link.js'
import { behind, type FiguresOf } from './behind.js'
import type { Statistics } from './figures.js'
import { Refused } from './refused.js'

type TopProduct = NonNullable<Statistics['topProductsByAttributedSales']>[number]

interface TopProductsProps { products: TopProduct[] | null, refused: ReadonlyMap<string, string>, of: FiguresOf }

const nameOf = ({ product: { id, externalId, name } }: TopProduct): string => name ?? externalId ?? id

export function TopProducts ({ products, refused, of }: TopProductsProps) {
  if (products === null) return <Refused title='Top products' message={refused.get('topProductsByAttributedSales')} />
  return (
    <section>
      <div class='row' style='justify-content:space-between'>
        <h2>Top products</h2>
        {products.length > 0 && <CsvButton name='top-products' head={['product', 'recommended', 'sold', 'sales USD']} rows={products.map((top) => [nameOf(top), top.numberOfRecommendations, top.numberSold, top.totalSales])} />}
      </div>
      {products.length === 0 && <p class='quiet'>No sale of this period is attributed to chat.</p>}
      {products.length > 0 && (
        <div class='table' role='region' aria-label='Top products' tabIndex={0}>
          <table>
            <thead><tr><th>Product</th><th class='number'>Recommended</th><th class='number'>Sold</th><th class='number'>Sales</th></tr></thead>
            <tbody>{products.map((top) => <Row key={top.product.id} top={top} of={of} />)}</tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Row ({ top, of }: { top: TopProduct, of: FiguresOf }) {
  const { externalId } = top.product
  const name = nameOf(top)
  const isKnown = externalId !== null && may('PRODUCT_MANAGE')
  const figure = (value: number, word: (value: number) => string, by: 'recommended' | 'product', said: string) => externalId === null || value === 0
    ? word(value)
    : <Link to={behind(of, { [by]: externalId })}>{word(value)}<span class='sr-only'> {said} {name}: the conversations</span></Link>
  return (
    <tr>
      <td class='wrap'>{isKnown ? <Link to={`/catalog/${encodeURIComponent(externalId)}`}>{name}</Link> : name}</td>
      <td class='number'>{figure(top.numberOfRecommendations, wordNumber, 'recommended', 'recommendations of')}</td>
      <td class='number'>{figure(top.numberSold, wordNumber, 'product', 'units of')}</td>
      <td class='number nowrap'>{figure(top.totalSales, wordMoney, 'product', 'sales of')}</td>
    </tr>
  )
}
