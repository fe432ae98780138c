/**
 * A size chart and its states (interface.md, "Size chart status"; decisions.md, "Size charts"). Pure: each function gives
 * what is to be written, store/size-charts/size-charts applies it by compare-and-set over `revision`.
 *
 *   body ──────────────▶ READY (MARKDOWN)
 *   sourceUrl, upload ─▶ PENDING ─claim─▶ (claimed) ─┬─ converted, unchanged ─▶ READY (PDF)
 *                           ▲                │       └─ refused ─────────────▶ FAILED
 *                           └─ stands still ─┘
 *
 * Every change of the source raises `conversion.number`. A conversion's result is written only while that number stands and the
 * chart is PENDING, so a newer update always wins over an older conversion, and of two workers at the same one the first.
 * A claim only saves double work. Whoever holds it raises `revision`, and another takes it over when that stands still (domain/standstill.ts).
 */
import { randomBytes } from 'node:crypto'
import { badInput } from '../errors.js'
import { maxBodyLength, maxConversionAttempts, type ConversionFailure } from './conversion-failure.js'
import { wordFault, type Fault } from './issue.js'
import { httpUrl, text, type Reader } from './reader.js'

export type SizeChartSource = 'MARKDOWN' | 'PDF'
export type SizeChartStatus = 'READY' | 'PENDING' | 'FAILED'

/** The original as it is kept in GridFS. */
export interface KeptPdf {
  /** Hex of its ObjectId there. */
  fileId: string
  sha256: string
  bytes: number
}

/** What a server said of the PDF it gave, for asking again conditionally. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

/** The document in `size_charts`. */
export interface SizeChartRecord {
  /** 128 random bits: whoever has it may read the original (GET /api/v1/size-charts/:id/pdf). */
  _id: string
  vendorId: string
  externalId: string
  name: string
  /** See nameKeyOf. */
  nameKey: string
  source: SizeChartSource
  /** null: MARKDOWN, or an uploaded PDF. */
  sourceUrl: string | null
  status: SizeChartStatus
  failure: ConversionFailure | null
  /** Markdown, shown while READY. A PDF chart keeps what its last PDF became, for when that very PDF comes again. */
  body: string | null
  /** What `body` was made from, and by which converter. */
  converted: { sha256: string, converterVersion: number } | null
  /** Of the PDF in `converted`. */
  validators: Validators | null
  pdf: KeptPdf | null
  conversion: { number: number, attempts: number, claim: { token: string } | null }
  /** +1 with every write, and with every sign of life of whoever holds the claim. */
  revision: number
  createdAt: Date
  updatedAt: Date
}

export type SizeChartChange = Partial<Omit<SizeChartRecord, '_id' | 'vendorId' | 'revision' | 'createdAt'>>

/** Where the chart's text comes from. */
export type SizeChartOrigin = { body: string } | { sourceUrl: string } | { pdf: KeptPdf }

export interface SizeChartDraft {
  externalId: string
  name: string
  origin: SizeChartOrigin
}

/** What one vendor may keep. */
export interface SizeChartQuota {
  charts: number
  /** Of their original PDFs together. */
  pdfBytes: number
}

export const defaultSizeChartQuota: SizeChartQuota = { charts: 20_000, pdfBytes: 2 * 1_024 ** 3 }

const maxNameLength = 255
export const maxSourceUrlLength = 2_048

const wellFormed = (read: Reader<string>): Reader<string> => (value, faults) => {
  const before = faults.length
  const result = read(value, faults)
  if (faults.length === before && !result.isWellFormed()) faults.push({ code: 'lone-surrogate', path: '' })
  return result
}
const readName = wellFormed(text({ max: maxNameLength, nonBlank: true }))
const readBody = wellFormed(text({ max: maxBodyLength, nonBlank: true }))
const readUrl = wellFormed(httpUrl(maxSourceUrlLength))

/** Throws BAD_USER_INPUT, with `path` in front of the field's name. */
function checked (read: Reader<string>, value: string | null, field: string, path: string): string {
  const faults: Fault[] = []
  const result = read(value, faults)
  const [fault] = faults
  if (fault !== undefined) throw badInput(wordFault({ ...fault, path: `${path}${field}` }), `${path}${field}`)
  return result
}

type Text = string | null | undefined

/** What a create or an entry of a bulk says. Throws BAD_USER_INPUT; `path` is that of the entry, such as `sizeCharts[3].`. */
export function readDraft (input: { externalId: string, name: string, body?: Text, sourceUrl?: Text }, path = ''): SizeChartDraft {
  const origin = readOrigin(input, path)
  if (origin === null) throw badInput(`${path === '' ? '' : `${path.slice(0, -1)}: `}Provide exactly one of body and sourceUrl`, `${path}body`)
  return { ...readIdentity(input, path), origin }
}

export const readIdentity = ({ externalId, name }: { externalId: string, name: string }, path = ''): Pick<SizeChartDraft, 'externalId' | 'name'> => ({
  externalId: checked(readName, externalId, 'externalId', path),
  name: checked(readName, name, 'name', path)
})

/** What an update says; a body or sourceUrl of null is none. Throws BAD_USER_INPUT. */
export function readUpdate (input: { externalId?: Text, name?: Text, body?: Text, sourceUrl?: Text }): Partial<SizeChartDraft> {
  const origin = readOrigin(input, '')
  return {
    ...(input.externalId === undefined ? {} : { externalId: checked(readName, input.externalId, 'externalId', '') }),
    ...(input.name === undefined ? {} : { name: checked(readName, input.name, 'name', '') }),
    ...(origin === null ? {} : { origin })
  }
}

/** null: neither was given. */
function readOrigin ({ body = null, sourceUrl = null }: { body?: Text, sourceUrl?: Text }, path: string): SizeChartOrigin | null {
  if (body !== null && sourceUrl !== null) {
    throw badInput(`${path === '' ? '' : `${path.slice(0, -1)}: `}Provide exactly one of body and sourceUrl`, `${path}sourceUrl`)
  }
  if (body !== null) return { body: checked(readBody, body, 'body', path) }
  if (sourceUrl === null) return null
  const url = new URL(checked(readUrl, sourceUrl, 'sourceUrl', path))
  if (url.username !== '' || url.password !== '') throw badInput(`${path}sourceUrl must not hold a user name or password`, `${path}sourceUrl`)
  return { sourceUrl }
}

/** What people who say a chart's name mean: case, width and surrounding space do not count. */
export const nameKeyOf = (name: string): string => name.normalize('NFKC').trim().toLowerCase()

export const isSizeChartId = (id: string): boolean => /^[\w-]{22}$/.test(id)

export function newSizeChart (vendorId: string, { externalId, name, origin }: SizeChartDraft, now: Date): SizeChartRecord {
  const blank: SizeChartRecord = {
    _id: randomBytes(16).toString('base64url'),
    vendorId,
    externalId,
    name,
    nameKey: nameKeyOf(name),
    source: 'MARKDOWN',
    sourceUrl: null,
    status: 'READY',
    failure: null,
    body: null,
    converted: null,
    validators: null,
    pdf: null,
    conversion: { number: 0, attempts: 0, claim: null },
    revision: 1,
    createdAt: now,
    updatedAt: now
  }
  return { ...blank, ...withOrigin(blank, origin) }
}

/** null: nothing is to be written. */
export function updateSizeChart (chart: SizeChartRecord, { externalId, name, origin }: Partial<SizeChartDraft>, now: Date): SizeChartChange | null {
  const change = {
    ...(externalId === undefined || externalId === chart.externalId ? {} : { externalId }),
    ...(name === undefined || name === chart.name ? {} : { name, nameKey: nameKeyOf(name) }),
    ...(origin === undefined ? {} : withOrigin(chart, origin))
  }
  return Object.keys(change).length === 0 ? null : { ...change, updatedAt: now }
}

function withOrigin (chart: SizeChartRecord, origin: SizeChartOrigin): SizeChartChange {
  const conversion = { number: chart.conversion.number + 1, attempts: 0, claim: null }
  if ('body' in origin) {
    if (chart.source === 'MARKDOWN' && chart.body === origin.body) return {}
    return {
      source: 'MARKDOWN', sourceUrl: null, status: 'READY', failure: null, body: origin.body, converted: null, validators: null, pdf: null, conversion
    }
  }
  const pending = {
    source: 'PDF', status: 'PENDING', failure: null, conversion, ...(chart.source === 'PDF' ? {} : { body: null })
  } as const
  if ('pdf' in origin) return { ...pending, sourceUrl: null, pdf: origin.pdf, validators: null }
  // The original of another address would be the wrong one to show beside this one.
  return { ...pending, sourceUrl: origin.sourceUrl, ...(chart.sourceUrl === origin.sourceUrl ? {} : { pdf: null, validators: null }) }
}

/** What a worker has to know of a chart that it is to claim. */
export type SeenChart = Pick<SizeChartRecord, '_id' | 'revision'>

/** A claim on the conversion that the chart waits for. null: none is waiting, or another worker has it and has been heard of since it was seen. */
export function claimConversion (chart: SizeChartRecord, token: string, seen: SeenChart, now: Date): SizeChartChange | null {
  const { status, revision, conversion: { number, attempts, claim } } = chart
  if (status !== 'PENDING' || (claim !== null && revision !== seen.revision)) return null
  if (attempts >= maxConversionAttempts) {
    return { status: 'FAILED', failure: { code: 'given-up' }, conversion: { number, attempts, claim: null }, updatedAt: now }
  }
  return { conversion: { number, attempts: attempts + 1, claim: { token } } }
}

/** Gives the claim back without counting the attempt. null: it is no longer held, or the chart has a newer source. */
export function returnClaim ({ status, conversion }: SizeChartRecord, { conversion: held }: SizeChartRecord): SizeChartChange | null {
  if (status !== 'PENDING' || conversion.number !== held.number || conversion.claim?.token !== held.claim?.token) return null
  return { conversion: { ...conversion, attempts: conversion.attempts - 1, claim: null } }
}

/** What a conversion has come to. `pdf`: the original, where one could be had. */
export type ConversionResult = { pdf: KeptPdf | null } & (
  | { outcome: 'converted', body: string, sha256: string, converterVersion: number, validators: Validators | null }
  | { outcome: 'unchanged', validators: Validators | null }
  | { outcome: 'failed', failure: ConversionFailure }
)

/** null: the chart has moved on, the result is dropped. */
export function finishConversion (chart: SizeChartRecord, claimed: SizeChartRecord, result: ConversionResult, now: Date): SizeChartChange | null {
  const { number, attempts } = chart.conversion
  if (chart.status !== 'PENDING' || number !== claimed.conversion.number) return null
  const change: SizeChartChange = { pdf: result.pdf ?? chart.pdf, conversion: { number, attempts, claim: null }, updatedAt: now }
  if (result.outcome === 'failed') return { ...change, status: 'FAILED', failure: result.failure }
  const ready: SizeChartChange = { ...change, status: 'READY', failure: null, validators: result.validators }
  if (result.outcome === 'unchanged') return ready
  const { body, sha256, converterVersion } = result
  return { ...ready, body, converted: { sha256, converterVersion } }
}

/** The markdown that anyone may be shown now. */
export const shownBody = ({ status, body }: Pick<SizeChartRecord, 'status' | 'body'>): string | null => status === 'READY' ? body : null

export type SizeChartNotice = 'CONVERTING' | 'NEWER_VERSION_CONVERTING' | 'CONVERSION_FAILED'

/** Why there is no markdown to show now. null: there is. */
export function noticeOf ({ status, conversion }: Pick<SizeChartRecord, 'status' | 'conversion'>): SizeChartNotice | null {
  if (status === 'READY') return null
  if (status === 'FAILED') return 'CONVERSION_FAILED'
  return conversion.number > 1 ? 'NEWER_VERSION_CONVERTING' : 'CONVERTING'
}
