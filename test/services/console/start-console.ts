/** What each test of the console begins with: the service, a browser, and a vendor with its owner. */
import type { Test } from 'tap'
import type { Browser } from 'playwright-core'
import { signAccessToken } from '../../../src/cli/sign-access-token.js'
import { loadOrCreateTokenSecret } from '../../../src/embedded/token-secret.js'
import { startServiceProcess, type ServiceProcess } from '../../support/service-process.js'
import { createVendor, type TestVendor } from '../../support/vendor.js'
import { startBrowser } from './browser.js'

export interface StartedConsole {
  service: ServiceProcess
  browser: Browser
  vendor: TestVendor
  /** Access token of the user `owner`. */
  owner: string
  /** Of any user, good for longer than any test takes. */
  tokenOf (userId: string): Promise<string>
}

const daySeconds = 24 * 60 * 60

/**
 * Its SFTP server is the built-in one, whose keys the console shows. Its database is the given one where there is one: that is faster than the embedded one may be, and pages look the same.
 * `isAlone`: everything is embedded, as for whoever tries the service out. `env`: what it is told beside that.
 */
export async function startConsole (t: Test, { isAlone = false, env = {} }: { isAlone?: boolean, env?: NodeJS.ProcessEnv } = {}): Promise<StartedConsole> {
  const service = await startServiceProcess(t, { ...isAlone ? { mongodbUrl: null } : {}, env: { ...isAlone ? { MONGODB_URL: '' } : {}, KAFKA_BROKERS: '', SFTP_URL: '', ...env } })
  const browser = await startBrowser(t)
  const vendor = await createVendor(service)
  await service.repositories().users.create('owner', 'owner@example.com', [{ vendorId: vendor.id, role: 'owner', permissions: [] }])
  const secret = await loadOrCreateTokenSecret(service.dataDir)
  const tokenOf = async (userId: string): Promise<string> =>
    await signAccessToken(userId, daySeconds, { secret, authIssuer: undefined, authAudience: undefined, authTokenMaxAgeSeconds: daySeconds })
  return { service, browser, vendor, owner: await tokenOf('owner'), tokenOf }
}
