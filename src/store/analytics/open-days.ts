/**
 * Sums by day of what long periods are asked for (day-sums), as they are stored, and how a writer keeps them true: it opens the days
 * of its records before it writes, and closes them when that is done. Opening drops their sums, and each opening and closing makes
 * a new version of the day.
 *
 * A writer that dies leaves its days open, which costs time and nothing else; after an hour they count as closed.
 */
import { randomUUID } from 'node:crypto'
import type { AnyBulkWriteOperation, Document } from 'mongodb'
import { dayMs } from '../../domain/analytics/time-zone.js'
import type { Collections } from '../database/connection.js'
import { ignoreDuplicates } from '../database/database-errors.js'
import type { Day, DaySumsDocument, KeptKind, SummedKind } from './day-sums-document.js'

const forgottenAfterMs = 60 * 60 * 1_000

export const daysInBlock = 32
export const dayOf = (instant: number): number => Math.floor(instant / dayMs)
export const blockOf = (day: number): number => Math.floor(day / daysInBlock)
export const keyOf = (day: number): string => `d${day}`
export const idOf = (vendorId: string, kind: KeptKind, block: number): string => `${kind}:${block}:${vendorId}`

/**
 * Writes records that were created at these instants, or cease to have been created then, while their days are open. Days of a write that
 * failed stay open: it may still be under way.
 */
export async function writeInDays<T> (
  { daySums }: Pick<Collections, 'daySums'>, kind: SummedKind, vendorId: string, created: readonly Date[], write: () => Promise<T>
): Promise<T> {
  const writer = randomUUID()
  const now = new Date()
  const blocks = new Map<number, number[]>()
  for (const day of new Set(created.map((instant) => dayOf(instant.getTime())))) {
    blocks.set(blockOf(day), [...blocks.get(blockOf(day)) ?? [], day])
  }
  const change = async (update: (block: number, fields: (name: string, value: unknown) => Document) => Document, upsert: boolean): Promise<void> => {
    const operations = [...blocks].map(([block, days]): AnyBulkWriteOperation<DaySumsDocument> => {
      const fields = (name: string, value: unknown): Document => Object.fromEntries(days.map((day) => [`days.${keyOf(day)}.${name}`, value]))
      return { updateOne: { filter: { _id: idOf(vendorId, kind, block) }, update: update(block, fields), upsert } }
    })
    if (operations.length > 0) await daySums.bulkWrite(operations, { ordered: false })
  }
  const open = async (): Promise<void> => {
    await change((block, fields) => ({
      $setOnInsert: { vendorId, kind, block },
      $set: fields(`writers.${writer}`, now),
      $unset: fields('sums', ''),
      $inc: fields('version', 1)
    }), true)
  }
  try {
    await open()
  } catch (error) {
    // Another writer has made the block between the server's look and its own making.
    ignoreDuplicates(error)
    await open()
  }
  const result = await write()
  await change((_, fields) => ({ $unset: fields(`writers.${writer}`, ''), $inc: fields('version', 1) }), false)
  return result
}

/** Whether somebody may still be writing in it. */
export const isOpen = ({ writers }: Day): boolean => Object.values(writers).some((since) => since.getTime() > Date.now() - forgottenAfterMs)
