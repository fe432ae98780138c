/** What the assistant makes of a shopper's words, one conversation at a time: fitment, products, sizes, and why. */
import { useState } from 'preact/hooks'
import {
  assistantSearch, assistantSizes, resolveFitment, type AssistantSearchQuery, type AssistantSizesQuery, type FitmentResolutionStatus, type ResolveFitmentMutation
} from '../api/operations.js'
import { askAll } from '../api/request.js'
import { vendor } from '../api/session.js'
import { ProductTable } from '../catalog/catalog-page.js'
import { webAddress } from '../catalog/product-text.js'
import { Markdown } from '../size-charts/markdown.js'
import { Field, valueOf } from '../ui/field.js'
import { wordCount } from '../ui/format.js'
import { Page } from '../ui/page.js'
import { Failure, Skeleton } from '../ui/states.js'

interface Said { text: string, fitment: ResolveFitmentMutation['resolveFitment'], found: AssistantSearchQuery['searchProducts'], sizes: AssistantSizesQuery['sizeChartAnswer'] | null }

const states: Record<FitmentResolutionStatus, string> = {
  RESOLVED: 'All facets are known; searches show what is compatible.',
  NEEDS_FACET: 'It asks about one facet.',
  NO_MATCH: 'Nothing in the text is a value of a facet.',
  NOT_CONFIGURED: 'This vendor has no fitment targets.'
}

const newConversation = (): string => `console-${crypto.randomUUID()}`

export function AssistantPage () {
  const [conversationId, setConversationId] = useState(newConversation)
  const [text, setText] = useState('')
  const [product, setProduct] = useState('')
  const [said, setSaid] = useState<Said | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const vendorId = vendor.value?.id ?? ''

  async function say (words: string): Promise<void> {
    setBusy(true)
    setError(null)
    try {
      const { resolveFitment: fitment } = await askAll(resolveFitment, { input: { vendorId, conversationId, text: words } })
      const [{ searchProducts: found }, sizes] = await Promise.all([
        askAll(assistantSearch, { input: { vendorId, conversationId, text: words, first: 10 } }),
        product === '' ? null : askAll(assistantSizes, { vendorId, productExternalId: product })
      ])
      setSaid({ text: words, fitment, found, sizes: sizes?.sizeChartAnswer ?? null })
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    void say(text)
  }
  const restart = (): void => {
    setConversationId(newConversation())
    setSaid(null)
    setText('')
  }
  return (
    <Page title='Assistant' actions={<button type='button' onClick={restart}>New conversation</button>}>
      <form class='filters' style='margin-bottom:24px' onSubmit={submit}>
        <Field label='As a shopper would say it' class='wide'><input type='search' required maxLength={1_000} value={text} placeholder='brake pads for my 2019 honda civic' onInput={(event) => { setText(valueOf(event)) }} /></Field>
        <Field label='Sizes of product (its id)'><input maxLength={255} value={product} placeholder='Optional' onInput={(event) => { setProduct(valueOf(event)) }} /></Field>
        <button type='submit' class='primary fixed' disabled={isBusy}>Ask</button>
      </form>
      {error !== null && <Failure error={error} />}
      {isBusy && said === null && <Skeleton />}
      {said === null && !isBusy && error === null && <p class='quiet'>What is said is remembered for this conversation, as it is for a shopper's; a new conversation forgets it.</p>}
      {said !== null && <Answers said={said} isBusy={isBusy} onCandidate={(value) => { void say(value) }} />}
    </Page>
  )
}

function Answers ({ said: { fitment, found, sizes, text }, isBusy, onCandidate }: { said: Said, isBusy: boolean, onCandidate: (value: string) => void }) {
  const known = Object.entries((fitment.facetValues ?? {}) as Record<string, string>)
  return (
    <div aria-live='polite' aria-busy={isBusy}>
      <section>
        <h2>Fitment</h2>
        <p>{states[fitment.status]} {fitment.target !== null && <strong>{fitment.target.label ?? fitment.target.externalId}</strong>}</p>
        {known.length > 0 && <dl class='lines' style='margin-top:8px'>{known.map(([slug, value]) => <div key={slug}><dt>{slug}</dt><dd>{value}</dd></div>)}</dl>}
        {fitment.facet !== null && (
          <div class='row' style='margin-top:12px'>
            <span>{fitment.facet.name}?</span>
            {fitment.candidates.map((candidate) => <button type='button' key={candidate} disabled={isBusy} onClick={() => { onCandidate(candidate) }}>{candidate}</button>)}
          </div>
        )}
      </section>
      <section>
        <h2>Products</h2>
        <p class='quiet' style='margin-bottom:8px'>
          {found.totalCount === 0 ? `Nothing is found for “${text}”` : `${wordCount(found.totalCount, 'product')} for “${text}”`}
          {fitment.status === 'RESOLVED' ? ', of those that fit, or fit everything.' : '.'}
        </p>
        {found.nodes.length > 0 && <ProductTable products={found.nodes} isLoading={false} />}
      </section>
      {sizes !== null && <Sizes sizes={sizes} />}
    </div>
  )
}

function Sizes ({ sizes: { kind, body, pdfUrl, message, sizeChart } }: { sizes: AssistantSizesQuery['sizeChartAnswer'] }) {
  const pdf = webAddress(pdfUrl)
  return (
    <section>
      <h2>Sizes{sizeChart !== null && `: ${sizeChart.name}`}</h2>
      {kind === 'NONE' && <p class='quiet'>This product has no size chart.</p>}
      {message !== null && <p>{message}</p>}
      {kind === 'PDF_LINK' && pdf !== null && <p><a href={pdf} target='_blank' rel='noopener noreferrer'>The PDF that the shopper is sent to</a></p>}
      {body !== null && <Markdown text={body} />}
    </section>
  )
}
