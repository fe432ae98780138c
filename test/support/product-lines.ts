/** Lines of import files, as small as a valid product can be. */
export type Fields = Record<string, unknown>

export const product = (externalId: string, fields: Fields = {}): Fields => ({
  externalId,
  name: `Product ${externalId}`,
  brandName: 'Northwind',
  externalUrl: `https://shop.example.com/${externalId}`,
  ...fields
})

export const line = (externalId: string, fields: Fields = {}): string => JSON.stringify(product(externalId, fields))

/** Products `${prefix}0`, `${prefix}1`, … */
export const lines = (count: number, prefix = 'P', fields: Fields = {}): string[] =>
  Array.from({ length: count }, (_, index) => line(`${prefix}${index}`, fields))

export const file = (...all: string[]): string => `${all.join('\n')}\n`
