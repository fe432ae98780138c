/** Charts of other programs: no cell may be wrong, and next to none refused. What each kind comes to is in docs/size-charts.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../src/package-root.js'
import { drawnCharts, figures, scoresOf } from '../../support/drawn-size-charts.js'

// On a loaded machine.
t.setTimeout(600_000)

t.test('every cell of what is not refused is in its row and column, and nothing is refused that a person could read', async (t) => {
  const { scores, faults } = await scoresOf(drawnCharts)
  t.comment(figures(scores))
  t.strictSame(faults, [])
  t.ok([...scores.values()].reduce((sum, { charts }) => sum + charts, 0) >= 60)
  t.ok(readFileSync(join(packageRoot(), 'docs/size-charts.md'), 'utf8').includes(figures(scores)), 'docs/size-charts.md says what it comes to')
})
