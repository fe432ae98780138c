/** What the reader signs in with: an integration key, a user's key, or an access token. The API decides what it is worth. */

/** As the API takes them, over HTTP and in a websocket's connection parameters alike. */
export function headersOf (text: string, vendorId: string | null): Record<string, string> {
  const isIntegrationKey = text.startsWith('svc_') && !text.startsWith('svc_u_')
  const credential: Record<string, string> = isIntegrationKey ? { 'x-vendor-api-key': text } : { authorization: `Bearer ${text}` }
  return vendorId === null ? credential : { ...credential, 'x-vendor-id': vendorId }
}

/** Nothing else can go into a header; what is pasted often ends with a line break. */
export function tidyCredential (text: string): string | null {
  const tidy = text.trim().replace(/^Bearer\s+/i, '')
  return /^[\x21-\x7e]{8,8192}$/.test(tidy) ? tidy : null
}
