import { createHash } from 'node:crypto'
import t from 'tap'
import { checkedLine } from './checked-line.js'

const a = 'https://cdn.example.com/a.jpg'
const b = 'https://cdn.example.com/b.jpg'
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

async function imagesOf (images: unknown): Promise<{ list: unknown, aliases: unknown } | undefined> {
  return (await checkedLine({ externalId: 'P', images })).value?.imageSet
}

t.test('the first occurrence of a URL wins, with its id and position; others become its aliases', async (t) => {
  t.strictSame(await imagesOf([{ url: a, externalId: 'front', position: 2 }, { url: b, externalId: 'back' }, { url: a, externalId: 'again', position: 1 }]), {
    list: [{ externalId: 'front', url: a, position: 2 }, { externalId: 'back', url: b, position: null }],
    aliases: [{ externalId: 'again', imageExternalId: 'front' }]
  })
})

for (const none of [{}, { externalId: null }, { externalId: '' }]) {
  t.test(`an image with ${JSON.stringify(none)} is known by the MD5 of its URL`, async (t) => {
    t.strictSame(await imagesOf([{ url: a, ...none }]), { list: [{ externalId: md5(a), url: a, position: null }], aliases: [] })
  })
}

t.test('the MD5 of a dropped duplicate is an alias too', async (t) => {
  t.match(await imagesOf([{ url: a, externalId: 'front' }, { url: a }]), { aliases: [{ externalId: md5(a), imageExternalId: 'front' }] })
})

t.test('the id of a duplicate whose first occurrence has none is an alias of the MD5', async (t) => {
  t.match(await imagesOf([{ url: a }, { url: a, externalId: 'front' }]), { aliases: [{ externalId: 'front', imageExternalId: md5(a) }] })
})

t.test('a duplicate of the same id needs no alias', async (t) => {
  t.strictSame(await imagesOf([{ url: a, externalId: 'x' }, { url: a, externalId: 'x' }]), { list: [{ externalId: 'x', url: a, position: null }], aliases: [] })
})

t.test('many duplicates: each id is an alias once', async (t) => {
  t.match(await imagesOf([{ url: a, externalId: '1' }, { url: a, externalId: '2' }, { url: a, externalId: '3' }, { url: a, externalId: '2' }]), {
    list: { length: 1 }, aliases: [{ externalId: '2', imageExternalId: '1' }, { externalId: '3', imageExternalId: '1' }]
  })
})

t.test('URLs that differ in a letter\'s case or a slash are different', async (t) => {
  t.match(await imagesOf([{ url: a }, { url: a.toUpperCase() }, { url: `${a}/` }]), { list: { length: 3 } })
})

t.test('null and the empty list are no images, omitted is not sent', async (t) => {
  t.strictSame(await imagesOf(null), { list: [], aliases: [] })
  t.strictSame(await imagesOf([]), { list: [], aliases: [] })
  t.equal((await checkedLine({ externalId: 'P' })).value?.imageSet, undefined)
})
