/**
 * One invented product, the same for the same seed and number: what a merchant's export holds, with the oddities of real
 * ones (repeated image URLs, variants known by their sku only, metafields of every JSON type, names in other scripts).
 */
import { createRandom, seedOf, type Random } from './sample-random.js'

interface SamplePrice { price: number, compareAtPrice?: number, currency: string }

interface SampleVariant {
  /** Left out now and then: then the sku is the variant's external id (interface.md, Variant). */
  externalId?: string
  name: string
  sku: string
  upc?: string | number
  imageExternalId?: string
  inventory: number | null
  inventoryPolicy: 'CONTINUE' | 'DENY'
  prices: SamplePrice[]
}

interface SampleImage { url: string, externalId?: string, position?: number }

/** The line of one product, as interface.md "Product" has it. */
export interface SampleProduct {
  externalId: string
  name: string
  brandName: string
  externalUrl: string
  description: string
  publishedAt: string | null
  images: SampleImage[]
  variants: SampleVariant[]
  categories: string[]
  tags: string[]
  [metafield: `meta:${string}`]: unknown
}

type Choices = readonly [string, ...string[]]

const brands: Choices = ['Northwind', 'Alder & Oak', 'Kestrel', 'Møller', 'Fjällrev', 'Tandem', 'Solstice', 'Граніт', '山と川', 'Bluebird Supply']
const adjectives: Choices = ['Classic', 'Light', 'Everyday', 'Merino', 'Trail', 'City', 'Recycled', 'Winter', 'Compact', 'Heavyweight']
const nouns: Choices = ['Jacket', 'Running Shoe', 'Backpack', 'T-Shirt', 'Wool Sweater', 'Rain Coat', 'Belt', 'Cap', 'Brake Pad Set', 'Water Bottle']
const foreignNames: Choices = ['ランニングシューズ', 'Зимові черевики', 'سترة صوفية', '羊毛围巾', 'Σακίδιο πλάτης', 'मेरिनो स्वेटर', 'Kışlık mont 🧥']
const colours: Choices = ['Black', 'Navy', 'Sand', 'Moss Green', 'Brick Red', 'Écru']
const sizes = ['XS', 'S', 'M', 'L', 'XL', 'XXL'] as const
const departments: Choices = ['Clothing', 'Footwear', 'Outdoor', 'Accessories', 'Automotive', 'Sale']
const tags: Choices = ['new', 'bestseller', 'organic', 'vegan', 'waterproof', 'gift', 'last-chance', 'made-in-eu']
const materials: Choices = ['100 % merino wool', 'organic cotton', 'recycled polyester', 'full-grain leather', 'Baumwolle/Elasthan']
const sentences: Choices = [
  'Made to be worn <strong>every day</strong>.',
  'Wash cold &amp; line dry.',
  'Cut in a relaxed fit with room for a layer underneath.',
  '<em>Repaired for free</em> for as long as you own it.',
  'Tested in wind, rain and on the way to work.'
]

/** A past, present or future that does not depend on the day on which the sample is made. */
const publishedYears = { first: 2019, last: 2024, scheduled: 2099 }

export function sampleProduct (seed: number, index: number): SampleProduct {
  const random = createRandom(seedOf(seed, index))
  const externalId = `P-${String(index + 1).padStart(7, '0')}`
  const noun = random.pick(nouns)
  const images = imagesOf(random, externalId, index)
  return {
    externalId,
    name: random.chance(0.08) ? random.pick(foreignNames) : `${random.pick(adjectives)} ${noun}`,
    brandName: random.pick(brands),
    externalUrl: `https://shop.example.com/products/${externalId.toLowerCase()}`,
    description: `<p>${random.pick(sentences)} ${random.pick(sentences)}</p>`,
    publishedAt: publishedAt(random),
    images,
    variants: variantsOf(random, externalId, images),
    categories: distinct(random, departments, random.integer(1, 2)),
    tags: distinct(random, tags, random.integer(0, 3)),
    ...metafieldsOf(random, index)
  }
}

function publishedAt (random: Random): string | null {
  const kind = random.fraction()
  if (kind < 0.05) return null
  const year = kind < 0.1 ? publishedYears.scheduled : random.integer(publishedYears.first, publishedYears.last)
  return new Date(Date.UTC(year, random.integer(0, 11), random.integer(1, 28), random.integer(0, 23))).toISOString()
}

function imagesOf (random: Random, externalId: string, index: number): SampleImage[] {
  const images: SampleImage[] = []
  const count = random.integer(1, 2)
  for (let number = 1; number <= count; number += 1) {
    const image: SampleImage = { url: `https://cdn.example.com/${externalId.toLowerCase()}/${number}.jpg` }
    if (random.chance(0.6)) image.externalId = `${externalId}-img-${number}`
    if (random.chance(0.5)) image.position = number
    images.push(image)
  }
  // Every fifth product names its first picture again under another id, as exports do that list pictures per colour.
  const [first] = images
  if (index % 5 === 4 && first !== undefined) images.push({ url: first.url, externalId: `${externalId}-img-again` })
  return images
}

function variantsOf (random: Random, externalId: string, images: SampleImage[]): SampleVariant[] {
  // 1 to 6, mostly few: the product of two shares leans to the low end.
  const count = 1 + Math.floor(random.fraction() * random.fraction() * sizes.length)
  const colour = random.pick(colours)
  const cents = random.integer(499, 29_999)
  return sizes.slice(0, count).map((size, number) => {
    const sku = `${externalId.slice(2)}-${size}`
    const variant: SampleVariant = {
      ...(random.chance(0.9) ? { externalId: `${externalId}-V${number + 1}` } : {}),
      name: `${colour} / ${size}`,
      sku,
      inventory: random.chance(0.05) ? null : random.integer(-2, 250),
      inventoryPolicy: random.chance(0.2) ? 'CONTINUE' : 'DENY',
      prices: pricesOf(random, cents)
    }
    if (random.chance(0.5)) variant.upc = upc(random)
    const image = images[random.integer(0, images.length - 1)]
    if (image?.externalId !== undefined) variant.imageExternalId = image.externalId
    return variant
  })
}

/** Some exports hold numbers here (decisions.md, Required fields): an integer is taken as its digits. */
function upc (random: Random): string | number {
  const digits = random.integer(100_000_000_000, 999_999_999_999)
  return random.chance(0.2) ? digits : String(digits)
}

function pricesOf (random: Random, cents: number): SamplePrice[] {
  const price = cents / 100
  const prices: SamplePrice[] = [{ price, currency: 'USD' }]
  if (random.chance(0.3)) prices[0] = { price, compareAtPrice: Math.round(cents * 1.25) / 100, currency: 'USD' }
  if (random.chance(0.4)) prices.push({ price: Math.round(cents * 0.93) / 100, currency: 'EUR' })
  return prices
}

/** Each JSON type has its turn, so that a short sample holds them all. */
function metafieldsOf (random: Random, index: number): Record<`meta:${string}`, unknown> {
  const material = random.pick(materials)
  switch (index % 7) {
    case 0: return { 'meta:material': material }
    case 1: return { 'meta:weight_grams': random.integer(40, 2_500) }
    case 2: return { 'meta:material': material, 'meta:waterproof': random.chance(0.5) }
    case 3: return { 'meta:dimensions': { width: random.integer(5, 60), height: random.integer(5, 90), unit: 'cm' } }
    case 4: return { 'meta:materials': [material, random.pick(materials)] }
    case 5: return { 'meta:material': material, 'meta:season': null }
    default: return { 'meta:care': '', 'meta:origin': 'Português: São João' }
  }
}

/** Up to `count` of the choices, each once. */
function distinct (random: Random, choices: Choices, count: number): string[] {
  const chosen = new Set<string>()
  for (let turn = 0; turn < count; turn += 1) chosen.add(random.pick(choices))
  return [...chosen]
}
