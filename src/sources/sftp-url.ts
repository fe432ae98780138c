/** `sftp://user@host:port/{vendorId}`: where a vendor's files are, as a template. */
import { posix } from 'node:path'
import { vendorIdPattern } from '../domain/access.js'
import { fatal } from '../errors.js'

export interface SftpTarget {
  host: string
  port: number
  /** `{vendorId}` in it: every vendor has a login of its own. */
  userTemplate: string
  /** The user and the folder of a vendor's files. Throws AppError (fatal) when the id could not be a vendor's. */
  locate (vendorId: string): { user: string, incoming: string }
}

const pattern = /^sftp:\/\/([^@/\s]+)@(\[[0-9a-f:.]+\]|[^:/\s[\]]+)(?::(\d{1,5}))?(\/\S*)?$/i
const placeholder = '{vendorId}'

/** Throws an Error that says what is wrong; percent-encoding is allowed in the user and the path. */
export function parseSftpUrl (url: string): SftpTarget {
  const [, user, bracketedHost, port = '22', path = '/'] = pattern.exec(url) ?? []
  if (user === undefined || bracketedHost === undefined) throw new Error('An SFTP URL looks like sftp://user@host:22/{vendorId}')
  if (user.includes(':')) throw new Error('An SFTP URL cannot hold a password: logins are by key')
  if (Number(port) < 1 || Number(port) > 65_535) throw new Error('The port of the SFTP URL must be from 1 to 65535')
  const userTemplate = decodeURIComponent(user)
  const pathTemplate = decodeURIComponent(path)
  return {
    host: bracketedHost.replace(/^\[|\]$/g, ''),
    port: Number(port),
    userTemplate,
    locate (vendorId) {
      // It becomes part of a path: what is not an id must not get that far.
      if (!vendorIdPattern.test(vendorId)) throw fatal('Not a vendor id')
      return {
        user: userTemplate.replaceAll(placeholder, vendorId),
        incoming: posix.join(pathTemplate.replaceAll(placeholder, vendorId), 'incoming')
      }
    }
  }
}

export const hasLoginPerVendor = ({ userTemplate }: SftpTarget): boolean => userTemplate.includes(placeholder)
