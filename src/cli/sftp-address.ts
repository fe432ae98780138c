/** `USER@HOST:PORT`, as `push --sftp` takes it. */
import { InvalidArgumentError } from 'commander'

export interface SftpAddress { user: string, host: string, port: number }

/** The port defaults to 22; an IPv6 address stands in brackets. Throws commander's InvalidArgumentError. */
export function parseSftpAddress (text: string): SftpAddress {
  const [, user, ipv6, name, port = '22'] = /^([^@\s:/]+)@(?:\[([0-9a-fA-F:.]+)\]|([^@:/\s[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = ipv6 ?? name
  if (user === undefined || host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new InvalidArgumentError('Expected USER@HOST:PORT, such as acme@sftp.example.com:22.')
  }
  return { user, host, port: Number(port) }
}

export const wordSftpAddress = ({ user, host, port }: SftpAddress): string =>
  `${user}@${host.includes(':') ? `[${host}]` : host}:${port}`
