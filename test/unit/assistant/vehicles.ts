/** A market of 20 makes, 200 models and 30 years, known to the assistant as the database would know it. */
import { createFitmentFacet } from './facet.js'
import { spellingsOf } from '../../../src/domain/fitment-spelling.js'
import { newTarget, sameValues, type FacetValue, type FitmentTargetRecord } from '../../../src/domain/fitment-target.js'
import type { FitmentFacetRecord } from '../../../src/domain/fitment-facet.js'
import type { FitmentKnowledge } from '../../../src/assistant/fitment-knowledge.js'
import type { KnownValue } from '../../../src/store/fitment/fitment-vocabulary.js'

const models: Record<string, string> = {
  Acura: 'Integra,TLX,RDX,MDX,ILX,TSX,Legend,NSX,RSX,ZDX',
  Audi: 'A3,A4,A6,A8,Q3,Q5,Q7,TT,R8,e-tron',
  BMW: '1 Series,3 Series,5 Series,7 Series,X1,X3,X5,Z4,i3,M3',
  Chevrolet: 'Silverado 1500,Silverado 2500HD,Malibu,Impala,Tahoe,Suburban,Camaro,Corvette,Equinox,Colorado',
  Chrysler: '300,200,Pacifica,Town & Country,PT Cruiser,Sebring,Voyager,Crossfire,Concorde,Aspen',
  Dodge: 'Challenger,Charger,Durango,Journey,Grand Caravan,Dart,Avenger,Viper,Neon,Caliber',
  Ford: 'F-150,F-250,Mustang,Explorer,Escape,Focus,Fusion,Ranger,Bronco,Transit',
  GMC: 'Sierra 1500,Sierra 2500HD,Yukon,Acadia,Terrain,Canyon,Savana,Envoy,Jimmy,Safari',
  Honda: 'Civic,Accord,CR-V,Pilot,Odyssey,Fit,HR-V,Ridgeline,Element,Insight',
  Hyundai: 'Elantra,Sonata,Tucson,Santa Fe,Accent,Kona,Palisade,Veloster,Ioniq 5,Genesis',
  Jeep: 'Wrangler,Grand Cherokee,Cherokee,Compass,Patriot,Renegade,Gladiator,Liberty,Commander,Wagoneer',
  Kia: 'Soul,Sorento,Sportage,Optima,Rio,Forte,Telluride,Stinger,Niro,Carnival',
  'Land Rover': 'Range Rover,Range Rover Sport,Discovery,Defender,Evoque,Freelander,Velar,LR2,LR3,LR4',
  Lexus: 'RX 350,ES 350,IS 250,GX 460,NX 200t,LS 460,UX 250h,LC 500,RC F,CT 200h',
  Mazda: '3,6,CX-5,CX-9,MX-5 Miata,Tribute,RX-8,CX-30,B2300,Protege',
  'Mercedes-Benz': 'C-Class,E-Class,S-Class,GLC,GLE,GLS,CLA,SLK,Sprinter,Metris',
  Nissan: 'Altima,Sentra,Maxima,Rogue,Murano,Pathfinder,Frontier,Titan,Leaf,370Z',
  Subaru: 'Outback,Forester,Impreza,Legacy,Crosstrek,Ascent,WRX,BRZ,Baja,Tribeca',
  Toyota: 'Camry,Corolla,RAV4,Highlander,Tacoma,Tundra,4Runner,Prius,Sienna,Land Cruiser',
  Volkswagen: 'Golf,Jetta,Passat,Tiguan,Beetle,Atlas,Touareg,Arteon,GTI,CC'
}
export const firstYear = 1995
const years = 30

export const makes = Object.keys(models)

/** Every make, model and year. */
export function vehicles (facets: FitmentFacetRecord[]): FitmentTargetRecord[] {
  const [make, model, year] = ['make', 'model', 'year'].map((slug) => facets.find((facet) => facet.slug === slug)?._id ?? '') as [string, string, string]
  let order = 0
  return Object.entries(models).flatMap(([makeName, names]) => names.split(',').flatMap((modelName) => Array.from({ length: years }, (_, index) => {
    const values = [{ facetId: make, value: makeName }, { facetId: model, value: modelName }, { facetId: year, value: String(firstYear + index) }]
    return newTarget('shop', ++order, { externalId: `${makeName} ${modelName} ${firstYear + index}`, facetValues: values.sort((a, b) => a.facetId < b.facetId ? -1 : 1) })
  })))
}

/** `order` as in "make model year". */
export const facetsInOrder = (order: string): FitmentFacetRecord[] => order.split(' ').map((slug, position) => createFitmentFacet(slug, position))

/** What the database would answer, from memory. */
export function knowledgeOf (facets: FitmentFacetRecord[], targets: FitmentTargetRecord[]): FitmentKnowledge {
  const known = new Map<string, FacetValue & { with: Set<string> }>()
  const byKey = new Map<string, FitmentTargetRecord[]>()
  const nameOf = ({ facetId, value }: FacetValue): string => `${facetId}:${value}`
  for (const target of targets) {
    for (const value of target.facetValues) {
      const entry = known.get(nameOf(value)) ?? { ...value, with: new Set<string>() }
      known.set(nameOf(value), entry)
      for (const other of target.facetValues) entry.with.add(nameOf(other))
      byKey.set(nameOf(value), [...byKey.get(nameOf(value)) ?? [], target])
    }
  }
  const bySpelling = new Map<string, KnownValue[]>()
  const knownValue = (entry: FacetValue & { with: Set<string> }): KnownValue => ({
    facetId: entry.facetId,
    value: entry.value,
    neighboursAt: (facetId) => new Set([...entry.with].filter((name) => name.startsWith(`${facetId}:`)).map((name) => name.slice(facetId.length + 1)))
  })
  for (const entry of known.values()) {
    for (const spelling of spellingsOf(entry.value)) bySpelling.set(spelling, [...bySpelling.get(spelling) ?? [], knownValue(entry)])
  }
  const having = (values: FacetValue[], oneOf: FacetValue[] = []): FitmentTargetRecord[] => (values[0] === undefined ? targets : byKey.get(nameOf(values[0])) ?? [])
    .filter(({ facetValues }) => {
      const names = new Set(facetValues.map(nameOf))
      return values.every((value) => names.has(nameOf(value))) && (oneOf.length === 0 || oneOf.some((value) => names.has(nameOf(value))))
    })
  return {
    facets,
    findBySpellings: async (spellings) => [...new Set(spellings.flatMap((spelling) => bySpelling.get(spelling) ?? []))],
    find: async (values) => values.map((value) => known.get(nameOf(value))).filter((entry) => entry !== undefined).map(knownValue),
    valuesOf: async (facetId) => [...known.values()].filter((entry) => entry.facetId === facetId).map(({ value }) => value),
    firstWith: async (values, oneOf) => having(values, oneOf)[0] ?? null,
    firstOf: async (values) => having(values).find(({ facetValues }) => sameValues(facetValues, [...values].sort((a, b) => a.facetId < b.facetId ? -1 : 1))) ?? null,
    hasTargets: async () => targets.length > 0
  }
}
