/** What the navigation leads to, for those who may see it. */
import type { Viewer, ViewerVendor } from '../api/session.js'

export interface Area { to: string, title: string, key: string, isFor: (vendor: ViewerVendor, viewer: Viewer) => boolean }

const needs = (permission: ViewerVendor['permissions'][number]) => ({ permissions }: ViewerVendor): boolean => permissions.includes(permission)

export const areas: readonly Area[] = [
  { to: '/imports', title: 'Imports', key: 'i', isFor: needs('PRODUCT_MANAGE') },
  { to: '/catalog', title: 'Catalog', key: 'c', isFor: needs('PRODUCT_MANAGE') },
  { to: '/stores', title: 'Stores', key: 's', isFor: needs('STORE_LOCATION_MANAGE') },
  { to: '/fitment', title: 'Fitment', key: 'f', isFor: needs('FITMENT_MANAGE') },
  { to: '/size-charts', title: 'Size charts', key: 'z', isFor: needs('SIZE_CHART_MANAGE') },
  { to: '/assistant', title: 'Assistant', key: 'a', isFor: () => true },
  { to: '/analytics', title: 'Analytics', key: 'n', isFor: needs('VIEW_CONVERSATIONS') },
  { to: '/access', title: 'Access', key: 'k', isFor: (_vendor, { kind }) => kind === 'USER' },
  { to: '/service', title: 'Service', key: 'o', isFor: (_vendor, { isOperator }) => isOperator }
]
