/**
 * How long any single request holds up the event loop of the API, whatever is stored. The least of some rounds, because the machine holds it up
 * as well; `HOLD_UP_SHAPES` is a regular expression of names.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { startBenchService } from './bench-service.js'
import { note, print } from './figure.js'
import type { HoldUpReport } from './hold-up-client.js'
import { prepareShapes } from './hold-up-shapes.js'

const rounds = 3
const wanted = new RegExp(process.env['HOLD_UP_SHAPES'] ?? '')

export async function benchHoldUps (): Promise<void> {
  const service = await startBenchService('api,worker,sftp')
  try {
    note(`hold-ups, on ${service.databaseServer}`)
    const shapes = await prepareShapes(service)
    for (const { name, request } of shapes.filter(({ name }) => wanted.test(name))) {
      let heldUpMs = Infinity
      let atWorkMs = 0
      let report: HoldUpReport | undefined
      for (let round = 0; round < rounds; round++) {
        const client = fork(new URL('./hold-up-client.js', import.meta.url), { serialization: 'advanced' })
        await delay(300)
        const tellLoad = await service.watch()
        client.send({ url: service.url, apiKey: service.apiKey, request })
        const [answered] = await once(client, 'message') as [HoldUpReport]
        await delay(50)
        report = answered
        const { loopMaxMs, loopHoldUps } = await tellLoad()
        heldUpMs = Math.min(heldUpMs, loopMaxMs)
        atWorkMs = Math.max(atWorkMs, loopHoldUps.atWorkMs)
      }
      print({
        bench: 'hold-ups', figure: name, value: heldUpMs, unit: 'ms', against: 'the least of the rounds\' longest', database: service.databaseServer,
        // Of the worst round, which is mostly the first: what it needs has not been compiled.
        atWorkMs: Math.round(atWorkMs), tookMs: Math.round(report?.tookMs ?? NaN), status: report?.status, bytes: report?.bytes, refused: report?.error
      })
    }
  } finally {
    await service.close()
  }
}
