/** The lines that upload a file, to be copied into a shell. */
import type { SftpAddressQuery } from '../api/operations.js'

/** `page`: where the console itself is. `address`: null = it is not known, and the reader has to put it in. */
export function uploadLines (vendorId: string, address: SftpAddressQuery['sftpAddress'], page: { hostname: string, origin: string }): { sftp: string, push: string } {
  const { host, port } = placeOf(address, page.hostname)
  return {
    sftp: `sftp ${port === null ? '' : `-P ${port} `}${vendorId}@${host} <<< 'put products-full.jsonl.gz incoming/'`,
    push: `catalog push products-full.jsonl.gz --mode REPLACE \\\n  --url ${page.origin} --key "$KEY" \\\n  --sftp ${vendorId}@${host}${port === null ? '' : `:${port}`} --identity ~/.ssh/id_ed25519`
  }
}

function placeOf (address: SftpAddressQuery['sftpAddress'], ownHost: string): { host: string, port: number | null } {
  if (address === null) return { host: 'YOUR-SFTP-HOST', port: null }
  // Of the page's own address the browser has put brackets around an IPv6 one already.
  const { host, port } = address
  return { host: host === null ? ownHost : host.includes(':') ? `[${host}]` : host, port }
}
