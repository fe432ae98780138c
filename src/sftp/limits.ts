/** What one stranger, one vendor and one connection may take. Every number here is a default that a caller can change. */
export interface SftpLimits {
  /** Connections that have not logged in yet; one more pushes the oldest of them out. */
  maxHandshakes: number
  /** Vendors' logged-in connections, all together. The service's own are not counted. */
  maxConnections: number
  maxConnectionsPerVendor: number
  /** SFTP channels in one connection. */
  maxChannels: number
  /** Files and folders open in one channel. */
  maxOpenHandles: number
  maxFileBytes: number
  /** Of all of a vendor's files together, finished and unfinished. */
  maxVendorBytes: number
  maxVendorFiles: number
  /** The most one READ is answered with. */
  maxReadBytes: number
  /** From the TCP connection to the end of the login. */
  authTimeoutMs: number
  /** Refused credentials, after which the connection ends. */
  maxAuthAttempts: number
  /** Without an SFTP request. A dead peer is found by SSH keep-alives much earlier. */
  idleTimeoutMs: number
  /** Between two looks at whether the keys of open connections are still registered. */
  keyCheckIntervalMs: number
  /** Addresses and networks that are not punished for failed logins (penalties.ts). */
  penaltyExempt: readonly string[]
  /** How long `close()` waits for requests that are being answered. */
  closeTimeoutMs: number
}

export const defaultLimits: SftpLimits = {
  maxHandshakes: 64,
  maxConnections: 256,
  maxConnectionsPerVendor: 10,
  maxChannels: 8,
  maxOpenHandles: 64,
  maxFileBytes: 50 * 1024 ** 3,
  maxVendorBytes: 200 * 1024 ** 3,
  maxVendorFiles: 10_000, // a delta every five minutes for the 30 days that files are kept
  maxReadBytes: 256 * 1024 - 1024, // clients take packets of up to 256 KiB; the rest of it is for the headers
  authTimeoutMs: 20_000,
  maxAuthAttempts: 6,
  idleTimeoutMs: 10 * 60_000,
  keyCheckIntervalMs: 2_000,
  penaltyExempt: ['127.0.0.0/8', '::1/128'], // where the worker of the same process comes from
  closeTimeoutMs: 5_000
}
