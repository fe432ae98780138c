/** The vendor's products: listed, or found as one types. The search is the shopper's own, of published products, unless others are asked for. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { listCatalog, searchCatalog, siftCatalog, storeCodes, type ProductRowFragment, type ProductVisibility } from '../api/operations.js'
import { may, vendor } from '../api/session.js'
import { queryOf, setQuery } from '../router.js'
import { Field, valueOf } from '../ui/field.js'
import { wordMoney, wordNumber, wordTime } from '../ui/format.js'
import { Link } from '../ui/link.js'
import { Page } from '../ui/page.js'
import { Pager } from '../ui/pager.js'
import { Picture } from '../ui/picture.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { priceRange, unitsOf, visibilities } from './product-text.js'

const typingMs = 200
const pageSize = 50

/** Of more products than these a filter's matches are counted among the first. */
const countedByFilter = 20_000

/** `found`: what a search among them is told to be. */
interface Shown { name: ProductVisibility, title: string, found: string }

const published: Shown = { name: 'PUBLISHED', title: 'Published', found: 'As a shopper finds them: published products, the best match first.' }
const shown: readonly Shown[] = [
  published,
  { name: 'SCHEDULED', title: 'Scheduled', found: 'Scheduled products, which shoppers do not find yet, the best match first.' },
  { name: 'DRAFT', title: 'Drafts', found: 'Drafts, which shoppers do not find, the best match first.' },
  { name: 'ARCHIVED', title: 'Archived', found: 'Archived products, which shoppers do not find any more, the best match first.' }
]

export function CatalogPage () {
  const [text, store, brand, tag] = [queryOf('text'), queryOf('store'), queryOf('brand'), queryOf('tag')]
  const isSearch = [text, brand, tag].some((value) => value !== '')
  const mayManage = may('PRODUCT_MANAGE')
  const asked = shown.find(({ name }) => name.toLowerCase() === queryOf('show')) ?? null
  // A search is among some: those of shoppers, unless others were chosen.
  const among = asked ?? (isSearch ? published : null)
  const visibility = among?.name ?? null
  const inStock = queryOf('stock') === 'yes' ? true : null
  const isSifted = !isSearch && (visibility !== null || inStock !== null || store !== '')
  const after = queryOf('after') || null
  const vendorId = vendor.value?.id ?? ''
  const found = useAnswer(searchCatalog, isSearch
    ? { input: { vendorId, visibility, text: text || null, inStock, storeCode: store || null, brand: brand || null, tag: tag || null, first: pageSize, cursor: after } }
    : null)
  const sifted = useAnswer(siftCatalog, isSifted ? { visibility, inStock, storeCode: store || null, cursor: after } : null)
  const listed = useAnswer(listCatalog, isSearch || isSifted ? null : { cursor: after })
  const stores = useAnswer(storeCodes, may('STORE_LOCATION_MANAGE') ? { vendorId } : null)
  const { error, isLoading, reload } = isSearch ? found : isSifted ? sifted : listed
  const connection = isSearch ? found.data?.searchProducts : isSifted ? sifted.data?.products : listed.data?.products
  const products = connection?.nodes ?? []
  const isEmptyPage = connection !== undefined && products.length === 0 && connection.hasNextPage
  const goesOn = useSearchOn(isEmptyPage && !isLoading ? connection.endCursor : null, JSON.stringify([text, visibility, inStock, store, brand, tag]))
  const isSearchingOn = isEmptyPage && (isLoading || goesOn)
  const facets = isSearch ? found.data?.searchProducts.facets : null
  const isAtLeast = isSifted && (sifted.data?.all.totalCount ?? 0) > countedByFilter

  return (
    <Page title='Catalog'>
      <div class='filters' role='search'>
        <Search text={text} />
        <Field label='Show'>
          <select value={visibility?.toLowerCase() ?? ''} disabled={isSearch && !mayManage} onChange={(event) => { setQuery({ show: valueOf(event), after: null }) }}>
            {!isSearch && <option value=''>All products</option>}
            {shown.map(({ name, title }) => <option key={name} value={name.toLowerCase()}>{title}</option>)}
          </select>
        </Field>
        <Field label='Stock'>
          <select value={inStock === null ? '' : 'yes'} onChange={(event) => { setQuery({ stock: valueOf(event), after: null }) }}>
            <option value=''>Any</option>
            <option value='yes'>Can be bought</option>
          </select>
        </Field>
        {may('STORE_LOCATION_MANAGE') && (
          <Field label='In stock at'>
            <select value={store} disabled={stores.data !== null && stores.data.storeLocations.length === 0} onChange={(event) => { setQuery({ store: valueOf(event), after: null }) }}>
              <option value=''>Any store</option>
              {stores.data?.storeLocations.filter(({ isActive }) => isActive).map(({ storeCode, name }) => <option key={storeCode} value={storeCode}>{name}</option>)}
            </select>
          </Field>
        )}
        {isSearch && <FacetChoice label='Brand' name='brand' chosen={brand} values={facets?.brands ?? []} />}
        {isSearch && <FacetChoice label='Tag' name='tag' chosen={tag} values={facets?.tags ?? []} />}
      </div>
      {isSearch && <p class='quiet small' style='margin-bottom:8px'>{among?.found}</p>}
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && (connection === undefined || isSearchingOn) && <Skeleton rows={10} />}
      {connection !== undefined && products.length === 0 && !isSearchingOn && (connection.hasNextPage
        ? <p class='quiet'>Nothing so far. <button type='button' onClick={() => { setQuery({ after: connection.endCursor }) }}>Search on</button></p>
        : <NoProducts isFiltered={isSearch || isSifted} others={isSearch && mayManage ? shown.filter((each) => each !== among) : []} />)}
      {products.length > 0 && <ProductTable products={products} isLoading={isLoading} />}
      {connection !== undefined && products.length > 0 && <Pager shown={products.length} total={connection.totalCount} isAtLeast={isAtLeast} endCursor={connection.endCursor} hasNextPage={connection.hasNextPage} of='products' />}
    </Page>
  )
}

/** A page may be empty although there is a next one: what is rare is looked for in portions. So many are asked for before the reader is. */
const mostEmptyPages = 20

/** Goes on behind an empty page, whose end is `endCursor`; false when the reader is to say whether to. */
function useSearchOn (endCursor: string | null, search: string): boolean {
  const gone = useRef({ search, pages: 0 })
  if (gone.current.search !== search) gone.current = { search, pages: 0 }
  const goesOn = endCursor !== null && gone.current.pages < mostEmptyPages
  useEffect(() => {
    if (!goesOn) return
    gone.current.pages++
    setQuery({ after: endCursor })
  }, [goesOn, endCursor])
  return goesOn
}

function FacetChoice ({ label, name, chosen, values }: { label: string, name: string, chosen: string, values: ReadonlyArray<{ value: string, count: number }> }) {
  const others = values.filter(({ value }) => value !== chosen)
  return (
    <Field label={label}>
      <select value={chosen} disabled={chosen === '' && others.length === 0} onChange={(event) => { setQuery({ [name]: valueOf(event), after: null }) }}>
        <option value=''>Any</option>
        {chosen !== '' && <option value={chosen}>{chosen}</option>}
        {others.map(({ value, count }) => <option key={value} value={value}>{value} ({wordNumber(count)})</option>)}
      </select>
    </Field>
  )
}

/** The address follows what is typed, a moment later; what is typed follows the address. */
function Search ({ text }: { text: string }) {
  const [typed, setTyped] = useState(text)
  useEffect(() => { setTyped(text) }, [text])
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => { setQuery({ text: typed, after: null }) }, typingMs)
    return () => { clearTimeout(timer) }
  }, [typed])
  return (
    <Field label='Search' class='wide'>
      <input type='search' value={typed} placeholder='Name, brand, description (press /)' onInput={(event) => { setTyped(valueOf(event)) }} />
    </Field>
  )
}

/** `others`: among which it may be, too. */
function NoProducts ({ isFiltered, others }: { isFiltered: boolean, others: readonly Shown[] }) {
  if (isFiltered) {
    return (
      <p class='quiet'>
        No product is like that. <button type='button' class='plain' onClick={() => { setQuery({ text: null, show: null, stock: null, store: null, brand: null, tag: null, after: null }) }}>Show all</button>
        {others.length > 0 && <> Or look among others: {others.map(({ name, title }) => <button key={name} type='button' class='plain' onClick={() => { setQuery({ show: name.toLowerCase(), after: null }) }}>{title}</button>)}</>}
      </p>
    )
  }
  return <Empty title='No products yet'><p>They come with the first import.</p><Link to='/imports' class='button primary'>Go to imports</Link></Empty>
}

export function ProductTable ({ products, isLoading }: { products: readonly ProductRowFragment[], isLoading: boolean }) {
  return (
    <div class='table' role='region' aria-label='Products' tabIndex={0} aria-busy={isLoading}>
      <table>
        <thead><tr><th class='of-phone'><span class='sr-only'>Image</span></th><th>Product</th><th>State</th><th class='of-phone'>Brand</th><th class='number'>Price</th><th class='number'>Stock</th><th class='number of-phone'>Changed</th></tr></thead>
        <tbody>
          {products.map((product) => (
            <tr key={product.externalId}>
              <td class='of-phone' style='width:56px'><Picture class='thumb' url={product.images[0]?.url} alt='' /></td>
              <td class='wrap'>
                <Link to={`/catalog/${encodeURIComponent(product.externalId)}`}>{product.name}</Link>
                <div class='quiet small'>{product.externalId}</div>
              </td>
              <td><span class={`state ${visibilities[product.visibility].kind}`}>{visibilities[product.visibility].title}</span></td>
              <td class='of-phone'>{product.brandName}</td>
              <td class='number nowrap'><PriceOf product={product} /></td>
              <td class='number'>{wordNumber(unitsOf(product.variants))}</td>
              <td class='number nowrap of-phone'>{wordTime(product.updatedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PriceOf ({ product }: { product: ProductRowFragment }) {
  const range = priceRange(product)
  if (range === null) return <>{wordMoney(null)}</>
  const { from, to, currency } = range
  return <>{wordMoney(from, currency)}{to > from && ` to ${wordMoney(to, currency)}`}</>
}
