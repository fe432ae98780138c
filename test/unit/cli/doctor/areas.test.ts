import t from 'tap'
import { loadConfig } from '../../../../src/config.js'
import { doctorAreas } from '../../../../src/cli/doctor.js'
import { openDoctorParts } from '../../../../src/cli/doctor/parts.js'
import { silent } from '../../../support/log.js'

const settings: NodeJS.ProcessEnv[] = [{}, { MONGODB_URL: 'mongodb://h/c', KAFKA_BROKERS: 'k:1' }]

for (const env of settings) {
  t.test(`all is over within a minute, whatever hangs: ${Object.keys(env).join(' ') || 'embedded parts'}`, async (t) => {
    const areas = await doctorAreas(openDoctorParts(loadConfig(env), silent))
    for (const sequence of areas) {
      const checks = sequence.flatMap((area) => [...area.checks])
      t.ok(checks.reduce((sum, { limitMs }) => sum + limitMs, 0) <= 60_000, checks.map(({ name }) => name).join(', '))
    }
    const names = areas.flat().flatMap(({ checks }) => checks.map(({ name }) => name))
    t.equal(new Set(names).size, names.length, 'each check has a name of its own')
  })
}
