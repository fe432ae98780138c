import t from 'tap'
import type { SftpKey } from '../../../../src/domain/access.js'
import { createSftpKeys } from '../../../../src/store/access/sftp-keys.js'
import { testDatabase } from '../../../support/database.js'

const { repositories: { sftpKeys }, database: { collections } } = await testDatabase(t)

let keys = 0
const newKey = (): SftpKey => ({ _id: `SHA256:${++keys}`, vendorId: 'acme', publicKey: 'ssh-ed25519 AAAA', comment: '', createdAt: new Date() })

t.test('a vendor may register its own key again', async (t) => {
  const key = newKey()
  t.equal(await sftpKeys.add(key), true)
  t.equal(await sftpKeys.add({ ...key, comment: 'again' }), true)
  t.strictSame((await sftpKeys.list('acme')).find(({ _id }) => _id === key._id), key)
})

t.test('a key of another vendor is not registered', async (t) => {
  const key = newKey()
  await sftpKeys.add(key)
  t.equal(await sftpKeys.add({ ...key, vendorId: 'other' }), false)
  t.equal((await sftpKeys.ownersOf([key._id])).get(key._id), 'acme')
})

t.test('a key that is removed while it is registered again is registered, and not said to be another vendor\'s', async (t) => {
  const key = newKey()
  await sftpKeys.add(key)
  const racing = Object.create(collections.sftpKeys, {
    findOne: {
      value: async (filter: { _id: string }) => {
        await sftpKeys.remove('acme', filter._id)
        return await collections.sftpKeys.findOne(filter)
      }
    }
  }) as typeof collections.sftpKeys
  t.equal(await createSftpKeys({ ...collections, sftpKeys: racing }).add(key), true)
  t.equal(await sftpKeys.isRegistered('acme', key._id), true)
})
