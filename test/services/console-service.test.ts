/** The console of whoever tries the service out, with everything embedded. */
import t from 'tap'
import { openView } from './console/browser.js'
import { holdAnswers, lookAtSkeletons } from './console/held-answers.js'
import { startConsole } from './console/start-console.js'

const { service, browser, vendor, owner, tokenOf } = await startConsole(t, { isAlone: true })

t.test('the service as a whole is shown to whoever started it, in both themes and on a phone; to others it is refused', async (t) => {
  const repositories = service.repositories()
  await repositories.users.create('local-operator', 'operator@localhost', [{ vendorId: vendor.id, role: 'owner', permissions: [] }])
  const operator = await tokenOf('local-operator')
  for (const [width, theme] of [[360, 'dark'], [1_280, 'light'], [2_560, 'dark']] as const) {
    const view = await openView(t, browser, service.url, { width, theme, credential: operator })
    const answers = await holdAnswers(view)
    await view.page.goto(`${service.url}/console/service`)
    await answers.asked()
    t.match(await lookAtSkeletons(view.page), [{ after: 1 }], 'a skeleton until it comes')
    await answers.letGo()
    await view.page.getByText('Kafka').waitFor()
    t.strictSame((await view.shifts()).moved, [], 'and nothing jumps')
    await view.page.getByRole('region', { name: 'Workers' }).getByText('Alive').waitFor()
    t.strictSame(await view.faults(), [], `${width}, ${theme}`)
    t.strictSame(view.complaints, [])
  }
  const view = await openView(t, browser, service.url, { credential: owner })
  await view.open('/service')
  await view.page.getByText('This is for whoever runs the service').waitFor()
  t.notMatch(await view.page.locator('main').innerText(), vendor.id)
})
