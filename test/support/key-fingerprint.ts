import ssh2 from 'ssh2'
import { fingerprintOf } from '../../src/domain/ssh-public-key.js'
import type { KeyPair } from '../../src/sftp/key-pair.js'

export function fingerprintOfPair (pair: KeyPair): string {
  const key = ssh2.utils.parseKey(pair.public)
  if (key instanceof Error) throw key
  return fingerprintOf(key.getPublicSSH())
}
