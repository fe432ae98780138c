/** Who a connection belongs to once it has logged in. */
export type Identity = { kind: 'vendor', vendorId: string } | { kind: 'service' }
