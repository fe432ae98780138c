/** The digest by which the writer knows a patch again. */
import { hash } from 'node:crypto'
import type { ImportMode } from '../../domain/import-job.js'
import type { MergeablePatch } from '../../domain/mergeable-patch.js'

/** To be raised when merging changes its mind about anything: then no digest of before is believed. */
const mergeVersion = '1'

/**
 * Text alone does not decide what a line does: the mode does, and what its links meant when they were resolved. So both
 * are part of it, and a line is merged again when a fitment target, size chart or store location has come or gone.
 */
export function patchHashOf (lineDigest: string, patch: MergeablePatch, mode: ImportMode): string {
  const own = `${prefixOf(mode)}${lineDigest}`
  const links = linksOf(patch)
  return links === null ? own : `${own}.${lineDigestOf(links)}`
}

/** The digest of the line in a patch's; null when it had links, or came by another mode or version. */
export function lineDigestIn (patchHash: string | null, mode: ImportMode): string | null {
  const prefix = prefixOf(mode)
  return patchHash?.startsWith(prefix) === true && patchHash.length === prefix.length + digestLength ? patchHash.slice(prefix.length) : null
}

/** Of the line as JSON. 120 bits: enough never to take one line for another. */
export const lineDigestOf = (text: string): string => hash('sha256', text, 'base64').slice(0, digestLength)
const digestLength = 20

const prefixOf = (mode: ImportMode): string => `${mergeVersion}${mode.charAt(0)}`

function linksOf ({ fitmentTargetIds, sizeChartId, variants = [] }: MergeablePatch): string | null {
  const linked = variants.filter((variant) =>
    variant.fitmentTargetIds !== undefined || variant.sizeChartId !== undefined || variant.stock !== undefined)
  if (fitmentTargetIds === undefined && sizeChartId === undefined && linked.length === 0) return null
  return JSON.stringify([fitmentTargetIds, sizeChartId, linked.map((variant) =>
    // What the line says of stock is in its own digest; what its names of locations meant is all that is missing.
    [variant.externalId, variant.fitmentTargetIds, variant.sizeChartId, variant.stock?.active.digest])])
}
