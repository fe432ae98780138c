/** What deploy/monitoring asks of Prometheus. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { packageRoot } from '../../src/package-root.js'

export interface Rule { alert: string, expr: string, for?: string, labels: { severity: string }, annotations: { summary: string, action: string } }
interface Panel { id: number, title: string, gridPos: { h: number, w: number, x: number, y: number }, targets: Array<{ expr: string }> }

export const monitoringFile = (name: string): string => join(packageRoot(), 'deploy/monitoring', name)

export const alertRules = async (): Promise<Rule[]> =>
  (parse(await readFile(monitoringFile('alerts.yaml'), 'utf8')) as { groups: Array<{ rules: Rule[] }> }).groups.flatMap(({ rules }) => rules)

export const dashboardPanels = async (): Promise<Panel[]> => (JSON.parse(await readFile(monitoringFile('dashboard.json'), 'utf8')) as { panels: Panel[] }).panels

/** Everything that is a metric's name: no function, keyword or label. What is in braces, quotes or after `by` is left out. */
export function metricsIn (expr: string): string[] {
  const bare = expr.replaceAll(/"[^"]*"/g, '').replaceAll(/\{[^}]*\}/g, '').replaceAll(/\[[^\]]*\]/g, '').replaceAll(/\b(by|on|without)\s*\([^)]*\)/g, '')
  return Array.from(bare.matchAll(/[a-zA-Z_:][\w:]*(?!\s*\(|\w)/g), ([name]) => name).filter((name) => !keywords.has(name) && !/^e\d*$/.test(name))
}

const keywords = new Set(['and', 'or', 'unless', 'bool', 'offset', 'ignoring', 'group_left', 'group_right', 'count', 'sum', 'max', 'min', 'avg'])
