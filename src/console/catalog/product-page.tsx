/** One product, as it is stored. */
import { useState } from 'preact/hooks'
import { changeProduct, importedFiles, productDetail, type UpsertProductInput } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { announce } from '../ui/announce.js'
import { wordFullTime, wordMoney, wordNumber } from '../ui/format.js'
import { Link } from '../ui/link.js'
import { Page } from '../ui/page.js'
import { Picture } from '../ui/picture.js'
import { Empty, Failure, Pending, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useChange } from '../ui/use-change.js'
import { EditStock } from './edit-stock.js'
import type { Product } from './product.js'
import { unitsOf, visibilities, webAddress } from './product-text.js'

const parent = { to: '/catalog', title: 'Catalog' }

export function ProductPage ({ externalId }: { externalId: string }) {
  const { data, error, reload } = useAnswer(productDetail, { externalId })
  const [isEditing, setEditing] = useState(false)
  const product = data?.product ?? null
  if (error !== null) return <Page title='Product' parent={parent}><Failure error={error} retry={reload} /></Page>
  if (data === null) return <Page title='Product' parent={parent}><Skeleton /></Page>
  if (product === null) return <Page title='Product' parent={parent}><Empty title='There is no such product'><p>No product of this vendor has the id <code>{externalId}</code>.</p></Empty></Page>
  const changed = (): void => {
    setEditing(false)
    announce('The product is changed')
    reload()
  }
  return (
    <Page title={product.name} parent={parent} actions={product.variants.length > 0 && <button type='button' onClick={() => { setEditing(true) }}>Change stock</button>}>
      <Publication product={product} onChanged={changed} />
      <div class='cards'>
        <section><h2>Details</h2><Details product={product} /></section>
        {product.images.length > 0 && (
          <section>
            <h2>Images</h2>
            <ul class='images'>{product.images.map(({ url, externalId }) => <li key={externalId}><Picture class='picture' url={url} alt={`Image ${externalId}`} /></li>)}</ul>
          </section>
        )}
      </div>
      <section style='margin-top:32px'><h2>Variants</h2><Variants variants={product.variants} /></section>
      {isEditing && <EditStock product={product} onClose={() => { setEditing(false) }} onChanged={changed} />}
    </Page>
  )
}

function Publication ({ product, onChanged }: { product: Product, onChanged: () => void }) {
  const change = useChange(changeProduct)
  const { title, kind } = visibilities[product.visibility]
  async function set (changes: Partial<UpsertProductInput>): Promise<void> {
    const done = await change.run({ vendorId: vendor.value?.id ?? '', products: [{ externalId: product.externalId, ...changes }] })
    if (done !== null) onChanged()
  }
  return (
    <div class='stack' style='margin-bottom:24px'>
      <div class='row'>
        <span class={`state ${kind}`}>{title}{product.visibility === 'SCHEDULED' && ` for ${wordFullTime(product.publishedAt)}`}</span>
        {product.visibility !== 'ARCHIVED' && product.visibility !== 'PUBLISHED' && <button type='button' disabled={change.isBusy} onClick={() => { void set({ publishedAt: new Date().toISOString() }) }}>Publish now</button>}
        {(product.visibility === 'PUBLISHED' || product.visibility === 'SCHEDULED') && <button type='button' disabled={change.isBusy} onClick={() => { void set({ publishedAt: null }) }}>Make it a draft</button>}
        <button type='button' disabled={change.isBusy} onClick={() => { void set({ archived: !product.archived }) }}>{product.archived ? 'Take it out of the archive' : 'Archive'}</button>
      </div>
      {change.error !== null && <Failure error={change.error} />}
    </div>
  )
}

function Details ({ product }: { product: Product }) {
  const address = webAddress(product.externalUrl)
  return (
    <dl class='lines'>
      <dt>Id</dt><dd><code>{product.externalId}</code></dd>
      <dt>Brand</dt><dd>{product.brandName}</dd>
      <dt>Page</dt><dd>{address === null ? product.externalUrl : <a href={address} rel='noopener noreferrer' target='_blank'>{product.externalUrl}</a>}</dd>
      {product.description !== null && product.description !== '' && <><dt>Description</dt><dd style='white-space:pre-wrap'>{product.description}</dd></>}
      {product.categories.length > 0 && <><dt>Categories</dt><dd>{product.categories.join(', ')}</dd></>}
      {product.tags.length > 0 && <><dt>Tags</dt><dd><span class='tags'>{product.tags.map((tag) => <span class='tag' key={tag}>{tag}</span>)}</span></dd></>}
      <dt>Size chart</dt><dd>{product.sizeChart === null ? '—' : <Link to={`/size-charts/${product.sizeChart.id}`}>{product.sizeChart.name}</Link>}</dd>
      <dt>Fits</dt><dd>{product.fitmentTargets.length === 0 ? 'everything (it is linked to no target)' : product.fitmentTargets.slice(0, 12).map(({ label, externalId }) => label ?? externalId).join('; ')}{product.fitmentTargets.length > 12 && ` and ${wordNumber(product.fitmentTargets.length - 12)} more`}</dd>
      {product.metafields.map(({ key, value }) => <div key={key}><dt><code>{key}</code></dt><dd>{value}</dd></div>)}
      <dt>First seen</dt><dd>{wordFullTime(product.createdAt)}</dd>
      <dt>Changed</dt><dd>{wordFullTime(product.updatedAt)}</dd>
      <dt>Last by import</dt><dd><ImportedFrom of={product.importedFrom} /></dd>
    </dl>
  )
}

/** The line that changed it last; what was changed here or through the API has none. */
function ImportedFrom ({ of: from }: { of: Product['importedFrom'] }) {
  const { data, isLoading } = useAnswer(importedFiles, from === null ? null : { jobId: from.jobId })
  if (from === null) return <>—</>
  if (data === null && isLoading) return <>Line {wordNumber(from.line)} of <Pending /></>
  const job = data?.productImportJob ?? null
  const file = job?.files[from.fileNumber - 1]
  return <>Line {wordNumber(from.line)} of {job === null || file === undefined ? `file ${from.fileNumber} of an import${data === null ? '' : ' that is not kept any more'}` : <Link to={`/imports/${job.jobId}`}>{file}</Link>}</>
}

/** Of thousands of variants a page shows the first; who has that many looks for one by its id. */
const shownVariants = 200

function Variants ({ variants }: Pick<Product, 'variants'>) {
  if (variants.length === 0) return <p class='quiet'>It has none, so it has no price and no stock.</p>
  return (
    <>
      <p class='quiet small'>{wordNumber(variants.length)} in all, {wordNumber(unitsOf(variants))} units{variants.length > shownVariants && `; the first ${shownVariants} are shown`}</p>
      <div class='table' role='region' aria-label='Variants' tabIndex={0}>
        <table>
          <thead><tr><th>Variant</th><th>SKU</th><th class='number'>Price</th><th class='number'>Before</th><th class='number'>Stock</th><th>When sold out</th><th>By store</th></tr></thead>
          <tbody>
            {variants.slice(0, shownVariants).map((variant) => (
              <tr key={variant.externalId}>
                <td class='wrap'>{variant.name ?? variant.externalId}<div class='quiet small'>{variant.externalId}</div></td>
                <td class='wrap'>{variant.sku}</td>
                <td class='number nowrap'>{variant.prices.map(({ price, currency }) => <div key={currency}>{wordMoney(price, currency)}</div>)}</td>
                <td class='number nowrap quiet'>{variant.prices.map(({ compareAtPrice, currency }) => <div key={currency}>{compareAtPrice === null ? '' : wordMoney(compareAtPrice, currency)}</div>)}</td>
                <td class='number'>{variant.inventory === null ? <span class='quiet'>not tracked</span> : wordNumber(variant.inventory)}</td>
                <td>{variant.inventoryPolicy === 'CONTINUE' ? 'sold further' : variant.inventoryPolicy === 'DENY' ? 'not sold' : ''}</td>
                <td>{variant.inventoryByLocation.map(({ storeLocation, quantity }) => <div key={storeLocation.storeCode}>{storeLocation.name} <span class='number'>{wordNumber(quantity)}</span></div>)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
