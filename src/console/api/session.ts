/** Who is signed in, and at which vendor. The credential is kept in memory; in sessionStorage, which ends with the tab, only when asked to. */
import { computed, signal } from '@preact/signals'
import type { Permission, ViewerQuery } from './operations.js'

export type Viewer = ViewerQuery['viewer']
export type ViewerVendor = Viewer['vendors'][number]

const storageKey = 'console.credential'
const vendorKey = 'console.vendor'

export const credential = signal<string | null>(sessionStorage.getItem(storageKey))
export const viewer = signal<Viewer | null>(null)
const chosenVendorId = signal<string | null>(sessionStorage.getItem(vendorKey))
/** Why the reader has to sign in again. */
export const signedOutBecause = signal<string | null>(null)

/** The one that is looked at; null before it is known, and when there is none. */
export const vendor = computed<ViewerVendor | null>(() => {
  const vendors = viewer.value?.vendors ?? []
  return vendors.find(({ id }) => id === chosenVendorId.value) ?? vendors[0] ?? null
})

export const may = (permission: Permission): boolean => vendor.value?.permissions.includes(permission) === true
/** Owner or admin: keys and the audit trail. */
export const isAdmin = (): boolean => vendor.value?.role === 'owner' || vendor.value?.role === 'admin'

export function chooseVendor (id: string): void {
  chosenVendorId.value = id
  sessionStorage.setItem(vendorKey, id)
}

export function keepCredential (text: string, isKept: boolean): void {
  signedOutBecause.value = null
  credential.value = text
  if (isKept) sessionStorage.setItem(storageKey, text)
}

export function signOut (reason: string | null = null): void {
  sessionStorage.removeItem(storageKey)
  signedOutBecause.value = reason
  viewer.value = null
  credential.value = null
}
