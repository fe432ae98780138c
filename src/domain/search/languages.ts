/**
 * The languages that a catalog is written in, and the stems of their words. No vendor says its language, and many catalogs have two, so they are told by words
 * that hardly any other language has, among those that products are found by: what things are made of or for, and colours. English is always among them: brands
 * and categories are, whatever the rest is.
 */
import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as english } from '@orama/stemmers/english'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'

/** Snowball's leaves knives and shelves alone. */
const englishOf = (word: string): string => english(word).replace(/ve?$/, 'f')

const stemmers = { english: englishOf, german, french, spanish, italian, dutch, portuguese, swedish, danish, norwegian, russian }

export type Language = keyof typeof stemmers

/** As domain/words gives them: without case, accents and the s of a plural. */
const tellTales: Record<Exclude<Language, 'english'>, string> = {
  german: 'und mit fur aus der die das herren damen kinder schwarz weiss rot blau grun silber',
  french: 'avec pour et sans femme homme enfant noir blanc rouge bleu vert en',
  spanish: 'con para y sin mujer hombre nino nina negro blanco rojo azul verde',
  italian: 'con per e senza donna uomo bambino nero bianco rosso blu',
  dutch: 'met voor en zonder dame heren kinderen zwart wit rood blauw groen',
  portuguese: 'com para e sem mulher homem crianca preto branco vermelho azul',
  swedish: 'och med for utan dam herr barn svart vit rod bla gron',
  danish: 'og med til uden dame herre born sort hvid rod bla gron',
  norwegian: 'og med til uten dame herre barn svart hvit rod bla gronn',
  russian: 'и с для без женскии мужскои детскии черныи белыи красныи синии'
}

const languagesOf = new Map<string, Language[]>()
for (const [language, words] of Object.entries(tellTales)) {
  for (const word of words.split(' ')) languagesOf.set(word, [...languagesOf.get(word) ?? [], language as Language])
}

/** One product in so many has a telling word, at least, and two of the words must be there. */
const productsPerWord = 200
const minWords = 2
/** Beside English; those with the most products. */
const maxLanguages = 2

/** `countOf` gives how many products have a word. */
export function languagesIn (products: number, countOf: (word: string) => number): Language[] {
  const found = new Map<Language, { words: number, products: number }>()
  for (const [word, languages] of languagesOf) {
    const count = countOf(word)
    if (count === 0) continue
    for (const language of languages) {
      const { words, products } = found.get(language) ?? { words: 0, products: 0 }
      found.set(language, { words: words + 1, products: products + count })
    }
  }
  const spoken = [...found].filter(([, { words, products: having }]) => words >= minWords && having * productsPerWord >= products)
    .sort(([, a], [, b]) => b.products - a.products).slice(0, maxLanguages)
  return ['english', ...spoken.map(([language]) => language)]
}

export const isLanguage = (name: string): name is Language => Object.hasOwn(stemmers, name)

/** Different ones, in the order of the languages. */
export const stemsOf = (word: string, languages: readonly Language[]): string[] => languages.map((language) => stemmers[language](word))
