/**
 * A catalog that a search can be judged by, and texts with what they should find: each product is a thing of a material and a colour, so what a text means is known
 * without looking at words. Things are sold unevenly, as in shops: the first of them is a twentieth of all products, most are some hundred.
 */
import { createRandom, seedOf, type Random } from '../src/cli/sample-random.js'

export interface JudgedProduct {
  externalId: string
  name: string
  brandName: string
  tags: string[]
  thing: string
  material: string
}

export type QueryKind = 'exact' | 'slips' | 'prefixes' | 'plurals' | 'compounds'

export interface JudgedQuery {
  kind: QueryKind
  text: string
  /** 2: what was meant; 1: the thing, but of another material; 0. */
  gradeOf: (product: JudgedProduct) => 0 | 1 | 2
}

type Choices = readonly [string, ...string[]]

/** As names write them, and in the other number. */
const things: ReadonlyArray<readonly [string, string]> = [
  ['Ring', 'rings'], ['Necklace', 'necklaces'], ['Earrings', 'earring'], ['Bracelet', 'bracelets'], ['Watch', 'watches'], ['Lamp', 'lamps'], ['Table', 'tables'], ['Chair', 'chairs'], ['Shelf', 'shelves'],
  ['Bookcase', 'bookcases'], ['Backpack', 'backpacks'], ['Raincoat', 'raincoats'], ['Jacket', 'jackets'], ['Sweater', 'sweaters'], ['Scarf', 'scarves'], ['Gloves', 'glove'], ['Dress', 'dresses'],
  ['Knife', 'knives'], ['Toothbrush', 'toothbrushes'], ['Sunglasses', 'sunglass'], ['Battery', 'batteries'], ['Candle', 'candles'], ['Teapot', 'teapots'], ['Cushion', 'cushions'], ['Blanket', 'blankets'],
  ['Mattress', 'mattresses'], ['Headphones', 'headphone'], ['Keyboard', 'keyboards'], ['Notebook', 'notebooks'], ['Wallet', 'wallets'], ['Umbrella', 'umbrellas'], ['Suitcase', 'suitcases'], ['Skateboard', 'skateboards'],
  ['Basket', 'baskets'], ['Mirror', 'mirrors'], ['Clock', 'clocks'], ['Vase', 'vases'], ['Hammock', 'hammocks'], ['Slippers', 'slipper'], ['Pendant', 'pendants'], ['Brooch', 'brooches'], ['Bench', 'benches']
]
const materials: Choices = ['Gold', 'Silver', 'Wooden', 'Leather', 'Cotton', 'Ceramic', 'Bamboo', 'Marble', 'Titanium', 'Linen', 'Velvet', 'Copper']
const colours: Choices = ['Black', 'White', 'Green', 'Crimson', 'Navy', 'Beige', 'Purple', 'Yellow']
const adjectives: Choices = ['Classic', 'Modern', 'Vintage', 'Compact', 'Handmade', 'Premium', 'Everyday', 'Slim', 'Large', 'Small']
const brands: Choices = ['Northwind', 'Kestrel', 'Tandem', 'Solstice', 'Bluebird Supply', 'Alder & Oak', 'Harbour', 'Meridian', 'Fable', 'Quill']
const tags: Choices = ['new', 'bestseller', 'gift', 'sale', 'organic', 'limited']
/** Written as one word in the catalog, and as two in the text. */
const compounds: ReadonlyArray<readonly [string, string]> = [
  ['Bookcase', 'book case'], ['Raincoat', 'rain coat'], ['Toothbrush', 'tooth brush'], ['Teapot', 'tea pot'], ['Necklace', 'neck lace'], ['Earrings', 'ear rings'], ['Backpack', 'back pack'],
  ['Keyboard', 'key board'], ['Notebook', 'note book'], ['Suitcase', 'suit case'], ['Skateboard', 'skate board'], ['Sunglasses', 'sun glasses'], ['Headphones', 'head phones']
]

export function judgedProduct (seed: number, index: number): JudgedProduct {
  const random = createRandom(seedOf(seed, index))
  const [thing = ''] = things[Math.floor(random.fraction() * random.fraction() * things.length)] ?? []
  const material = random.pick(materials)
  return {
    externalId: `P-${String(index).padStart(7, '0')}`,
    name: `${random.pick(adjectives)} ${random.pick(colours)} ${material} ${thing}`,
    brandName: random.pick(brands),
    tags: [...new Set([random.pick(tags), random.pick(tags)])],
    thing,
    material
  }
}

const queriesPerKind = 40

/** 40 of each kind. */
export function judgedQueries (seed: number): JudgedQuery[] {
  const random = createRandom(seedOf(seed, 0))
  const kinds: QueryKind[] = ['exact', 'slips', 'prefixes', 'plurals', 'compounds']
  return kinds.flatMap((kind) => Array.from({ length: queriesPerKind }, (_, index) => queryOf(kind, index, random)))
}

function queryOf (kind: QueryKind, index: number, random: Random): JudgedQuery {
  const [thing = '', other = ''] = things[(index * 7) % things.length] ?? []
  const material = random.pick(materials)
  // Every second one names the material too.
  const isNarrow = index % 2 === 0
  const text = (word: string): string => isNarrow ? `${material} ${word}`.toLowerCase() : word.toLowerCase()
  const judged = (word: string, thing: string): JudgedQuery => ({
    kind,
    text: text(word),
    gradeOf: (product) => product.thing !== thing ? 0 : !isNarrow || product.material === material ? 2 : 1
  })
  if (kind === 'exact') return judged(thing, thing)
  if (kind === 'plurals') return judged(other, thing)
  if (kind === 'slips') return judged(misspelt(thing.toLowerCase(), random), thing)
  if (kind === 'compounds') {
    const [written = '', typed = ''] = compounds[index % compounds.length] ?? []
    return judged(typed, written)
  }
  const start = thing.toLowerCase().slice(0, Math.max(3, Math.ceil(thing.length * 0.7)))
  return { kind, text: start, gradeOf: (product) => product.thing.toLowerCase().startsWith(start) ? 2 : 0 }
}

/** One slip, or two in a long word; not in the first letter, in which few are made. */
function misspelt (word: string, random: Random): string {
  let typed = word
  for (let slips = word.length >= 8 ? random.integer(1, 2) : word.length >= 4 ? 1 : 0; slips > 0; slips--) {
    const at = random.integer(1, typed.length - 2)
    const letter = String.fromCharCode(97 + random.integer(0, 25))
    const [before, after] = [typed.slice(0, at), typed.slice(at)]
    typed = [`${before}${letter}${after}`, `${before}${after.slice(1)}`, `${before}${letter}${after.slice(1)}`, `${before}${after.slice(1, 2)}${after.slice(0, 1)}${after.slice(2)}`][random.integer(0, 3)] ?? typed
  }
  return typed
}
