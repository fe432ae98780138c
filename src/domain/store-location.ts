/** What a store location must look like (interface.md, Store location; decisions.md, "Store locations, fitment, size charts"). */
import { badInput } from '../errors.js'
import type { StoreLocationRecord } from './links.js'
import { readInput, wellFormed } from './read-input.js'
import { boolean, orNull, text, type Reader } from './reader.js'

const maxTextLength = 255
/** More than the largest chains have; every batch of an import that sends quantities reads all locations of its vendor. */
export const maxStoreLocations = 10_000

type Fields = Omit<StoreLocationRecord, '_id' | 'vendorId'>
/** Absent: leave as it is. */
export type StoreLocationChange = Partial<Fields>

/** ISO 3166-1 alpha-2, the officially assigned codes. */
const countries = new Set((
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD ' +
  'CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF ' +
  'GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN ' +
  'KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA ' +
  'NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI ' +
  'SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI ' +
  'VN VU WF WS YE YT ZA ZM ZW'
).split(' '))

const name = wellFormed(text({ nonBlank: true, max: maxTextLength }))
const optionalText = orNull(wellFormed(text({ max: maxTextLength })))

const country: Reader<string> = (value, faults) => {
  if (typeof value !== 'string' || !countries.has(value)) faults.push({ code: 'not-one-of', path: '', detail: 'the upper-case ISO 3166-1 alpha-2 codes' })
  return value as string
}

const degrees = (limit: number): Reader<number> => (value, faults) => {
  if (typeof value !== 'number' || !(Math.abs(value) <= limit)) faults.push({ code: 'wrong-type', path: '', detail: `from -${limit} to ${limit}` })
  return value as number + 0
}

const readers: { [Field in keyof Fields]: Reader<Fields[Field]> } = {
  storeCode: name,
  name,
  isActive: boolean,
  phone: optionalText,
  latitude: orNull(degrees(90)),
  longitude: orNull(degrees(180)),
  streetAddress: optionalText,
  streetAddress2: optionalText,
  city: optionalText,
  region: optionalText,
  country: orNull(country),
  postalCode: optionalText
}

/** The fields that were sent. null clears a field; `storeCode`, `name` and `isActive` cannot be cleared. Throws BAD_USER_INPUT. */
export function readStoreLocationChange (input: Readonly<Record<string, unknown>>): StoreLocationChange {
  const change: Record<string, unknown> = {}
  for (const [field, read] of Object.entries<Reader<unknown>>(readers)) {
    const value = Object.hasOwn(input, field) ? input[field] : undefined
    if (value !== undefined) change[field] = readInput(read, value, `input.${field}`)
  }
  return change
}

/** All fields of a new location; it is active unless it says otherwise. Throws BAD_USER_INPUT. */
export function readNewStoreLocation (input: Readonly<Record<string, unknown>>): Fields {
  const { storeCode, name, ...rest } = readStoreLocationChange({ ...input, isActive: input['isActive'] ?? true })
  if (storeCode === undefined || name === undefined) throw badInput('storeCode and name are required', 'input')
  return {
    storeCode,
    name,
    isActive: true,
    phone: null,
    latitude: null,
    longitude: null,
    streetAddress: null,
    streetAddress2: null,
    city: null,
    region: null,
    country: null,
    postalCode: null,
    ...rest
  }
}
