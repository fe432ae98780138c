/** The console: signed out, a form; signed in, the page that the address is of. Pages are loaded when they are gone to. */
import { render, type ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { vendor, viewer } from './api/session.js'
import { ImportsPage } from './imports/imports-page.js'
import { navigate, path, startRouter } from './router.js'
import { matchPath } from './shell/match-path.js'
import { areasNow, Shell } from './shell/shell.js'
import { followSystemTheme } from './shell/theme.js'
import { SignIn } from './sign-in/sign-in.js'
import { Link } from './ui/link.js'
import { Page } from './ui/page.js'
import { Empty, Failure, Skeleton } from './ui/states.js'

type PageOf = ComponentType<Record<string, string>>
type Load = () => Promise<PageOf>

const pages: Array<[pattern: string, load: Load]> = [
  ['/imports', async () => ImportsPage as PageOf],
  ['/imports/:jobId', async () => (await import('./import/import-page.js')).ImportPage as unknown as PageOf],
  ['/catalog', async () => (await import('./catalog/catalog-page.js')).CatalogPage as PageOf],
  ['/catalog/:externalId', async () => (await import('./catalog/product-page.js')).ProductPage as unknown as PageOf],
  ['/stores', async () => (await import('./stores/stores-page.js')).StoresPage as PageOf],
  ['/fitment', async () => (await import('./fitment/fitment-page.js')).FitmentPage as PageOf],
  ['/size-charts', async () => (await import('./size-charts/size-charts-page.js')).SizeChartsPage as PageOf],
  ['/size-charts/:id', async () => (await import('./size-charts/size-chart-page.js')).SizeChartPage as unknown as PageOf],
  ['/assistant', async () => (await import('./assistant/assistant-page.js')).AssistantPage as PageOf],
  ['/analytics', async () => (await import('./analytics/analytics-page.js')).AnalyticsPage as PageOf],
  ['/conversations', async () => (await import('./conversations/conversations-page.js')).ConversationsPage as PageOf],
  ['/conversations/:id', async () => (await import('./conversations/conversation-page.js')).ConversationPage as unknown as PageOf],
  ['/service', async () => (await import('./service/service-page.js')).ServicePage as PageOf],
  ['/access', async () => (await import('./access/access-page.js')).AccessPage as PageOf]
]

function App () {
  if (viewer.value === null) return <SignIn />
  // Everything that is shown is of one vendor.
  return <Shell key={vendor.value?.id}>{vendor.value === null ? <NoVendor /> : <CurrentPage />}</Shell>
}

function CurrentPage () {
  const at = path.value
  const found = pages.map(([pattern, load]) => ({ pattern, load, values: matchPath(pattern, at) })).find(({ values }) => values !== null)
  useEffect(() => {
    const [first] = areasNow()
    if (at === '/' && first !== undefined) navigate(first.to, { replace: true })
  }, [at])
  if (at === '/') return null
  if (found === undefined) return <Page title='There is no such page'><p>Go on with <Link to='/'>what there is</Link>.</p></Page>
  return <Loaded key={`${found.pattern} ${Object.values(found.values ?? {}).join('/')}`} load={found.load} values={found.values ?? {}} />
}

function Loaded ({ load, values }: { load: Load, values: Record<string, string> }) {
  const [state, setState] = useState<{ page: PageOf } | { error: Error } | null>(null)
  const begin = (): void => {
    load().then((page) => { setState({ page }) }, () => { setState({ error: new Error('This page could not be loaded. Reload; the service may have been updated.') }) })
  }
  useEffect(begin, [])
  if (state === null) return <><div class='head' /><Skeleton /></>
  return 'error' in state ? <Failure error={state.error} retry={() => { location.reload() }} /> : <state.page {...values} />
}

function NoVendor () {
  return (
    <Page title='No vendor yet'>
      <Empty title='You belong to no vendor'>
        <p>Make one, and a key for it. Then sign out, and in again with that key.</p>
        <pre>npm run --silent catalog -- vendor create --id acme --name "Acme"{'\n'}npm run --silent catalog -- key create --vendor acme --name console --permissions PRODUCT_MANAGE</pre>
      </Empty>
    </Page>
  )
}

startRouter()
followSystemTheme()
const root = document.getElementById('console')
if (root !== null) render(<App />, root)
