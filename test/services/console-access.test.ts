/** Who gets into the console, sees what there, and gives others the same. */
import t from 'tap'
import { openView } from './console/browser.js'
import { addMember, fillShop, hostile, pagesOf } from './console/shop.js'
import { sshKey } from './console/ssh-key.js'
import { startConsole } from './console/start-console.js'

const started = await startConsole(t)
const { service, browser, vendor, owner, tokenOf } = started
const shop = await fillShop(started)
await addMember(started)

t.test('a wrong key is told at the form; the right one signs in, and a reload asks for it again unless it was to be kept', async (t) => {
  const { page, faults } = await openView(t, browser, service.url)
  await page.goto(`${service.url}/console/stores`)
  t.strictSame(await faults(), [])
  await page.getByLabel('Key or access token').fill('svc_of_nobody')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The API key is not valid').waitFor()
  await page.getByLabel('Key or access token').fill(owner)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Stores' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in to the catalog' }).waitFor()
})

t.test('an SFTP key is added, may log in, and is revoked', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/access?show=sftp')
  await page.getByRole('button', { name: 'Add a key' }).click()
  await page.getByLabel('Public key').fill('nonsense')
  await page.getByRole('button', { name: 'Add the key' }).click()
  await page.getByText('publicKey is not an OpenSSH public key').waitFor()
  t.strictSame(await view.faults(), [], 'the dialog')
  const { publicKey, fingerprint } = sshKey(hostile)
  await page.getByLabel('Public key').fill(publicKey)
  await page.getByRole('button', { name: 'Add the key' }).click()
  const row = page.getByRole('row').filter({ hasText: fingerprint })
  await row.waitFor()
  t.equal(await service.repositories().sftpKeys.isRegistered(vendor.id, fingerprint), true)
  await row.getByRole('button').click()
  await page.getByRole('dialog').waitFor()
  t.strictSame(await view.faults(), [], 'the question')
  await page.getByRole('button', { name: 'Remove the key', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  t.equal(await service.repositories().sftpKeys.isRegistered(vendor.id, fingerprint), false)
  t.strictSame(view.complaints.filter((text) => !text.includes('400')), [])
})

t.test('a user is added, changed and removed; an admin is offered no owners, and a key nothing', async (t) => {
  const { users } = service.repositories()
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/access?show=users')
  await page.getByRole('button', { name: 'Add a user' }).click()
  await page.getByLabel('E-mail').fill('new@example.com')
  await page.getByLabel('Id').fill('member')
  await page.getByRole('button', { name: 'Add the user' }).click()
  await page.getByText('User member belongs to this vendor already').waitFor()
  t.strictSame(await view.faults(), [], 'the dialog')
  await page.getByLabel('Id').fill('new')
  await page.getByLabel('VIEW_NPS').check()
  await page.getByRole('button', { name: 'Add the user' }).click()
  const row = page.getByRole('row').filter({ hasText: 'new@example.com' })
  await row.getByText('VIEW_NPS').waitFor()
  await row.getByRole('button', { name: 'Change' }).click()
  await page.getByLabel('Role').selectOption('Admin')
  await page.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Everything').waitFor()
  t.match((await users.find('new'))?.memberships, [{ vendorId: vendor.id, role: 'admin' }])

  const asAdmin = await openView(t, browser, service.url, { width: 360, theme: 'dark', credential: await tokenOf('new') })
  await asAdmin.open('/access?show=users')
  const ofOwner = asAdmin.page.getByRole('row').filter({ hasText: 'owner@example.com' })
  t.equal(await ofOwner.getByRole('button').count(), 0)
  await asAdmin.page.getByRole('button', { name: 'Add a user' }).click()
  t.strictSame(await asAdmin.page.getByLabel('Role').getByRole('option').allInnerTexts(), ['Member', 'Admin'])
  t.strictSame(await asAdmin.faults(), [])
  const { key, record } = await service.repositories().userApiKeys.create('owner', 'a script', null)
  const byKey = await openView(t, browser, service.url, { credential: key })
  await byKey.open('/access?show=users')
  t.equal(await byKey.page.getByRole('button', { name: /^(?:Add a user|Change|Remove)/ }).count(), 0)
  await service.repositories().userApiKeys.revoke('owner', record._id)

  const made = await service.repositories().integrationApiKeys.create(vendor.id, 'made by new', ['VIEW_NPS'], { createdBy: 'new' })
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').waitFor()
  t.strictSame(await view.faults(), [], 'the question')
  await page.getByRole('button', { name: 'Remove the user', exact: true }).click()
  await page.getByRole('dialog').getByText('made by new').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await row.waitFor({ state: 'detached' })
  await service.repositories().integrationApiKeys.revoke(vendor.id, made.record._id)
  const last = page.getByRole('row').filter({ hasText: 'owner@example.com' })
  await last.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove the user', exact: true }).click()
  await page.getByText('The vendor has no other owner').waitFor()
})

t.test('the audit log is narrowed down, and the address keeps it', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/access?show=audit')
  await page.getByLabel('What').fill('createSizeChart')
  await page.keyboard.press('Enter')
  await page.waitForURL(/action=createSizeChart/)
  await view.settled()
  await page.reload()
  await view.settled()
  const rows = await page.getByRole('region', { name: 'Audit log' }).getByRole('row').allInnerTexts()
  t.ok(rows.length > 1)
  t.ok(rows.slice(1).every((text) => text.includes('createSizeChart')))
  await page.getByLabel('Kind').selectOption('OPERATOR')
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('row').filter({ hasText: 'createFitmentFacet' }).first().waitFor()
})

t.test('a key is made, used and revoked', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/access')
  await page.getByRole('button', { name: 'Make a key' }).click()
  await page.getByLabel('Name').fill('made in a browser')
  t.strictSame(await view.faults(), [], 'the dialog')
  await page.getByRole('button', { name: 'Make the key' }).click()
  const key = (await page.locator('.key code').innerText()).trim()
  await page.getByRole('button', { name: 'Done' }).click()
  const status = async (): Promise<number> => (await fetch(`${service.url}/api/v1/files`, { headers: { 'x-vendor-api-key': key } })).status
  t.equal(await status(), 200)
  await page.getByRole('button', { name: 'Revoke made in a browser' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByRole('row').filter({ hasText: 'made in a browser' }).getByText('Revoked').waitFor()
  t.equal(await status(), 401)
})

t.test('no page shows a member what takes a permission, and each says so', async (t) => {
  const view = await openView(t, browser, service.url, { credential: await tokenOf('member') })
  for (const path of pagesOf(shop)) {
    await view.open(path)
    const text = await view.page.locator('main').innerText()
    t.notMatch(text, shop.email, path)
    t.strictSame(await view.faults(), [], path)
    if (!/^\/(?:assistant|conversations(?:$|\?)|access|catalog\?)/.test(path)) t.match(text, /needs the permission|permission/, path)
  }
  t.strictSame(view.complaints, [])
})

t.test('an owner is led everywhere', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  await view.open('/imports')
  t.strictSame(await view.areas(), ['Imports', 'Catalog', 'Stores', 'Fitment', 'Size charts', 'Assistant', 'Analytics', 'Access'])
})
