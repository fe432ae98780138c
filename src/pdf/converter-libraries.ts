/** Prints, as a JSON list, the absolute paths of the shared libraries that the converter, which is Node, runs on. */
import { isAbsolute } from 'node:path'

Object.assign(process.report, { excludeNetwork: true })
const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] }
process.stdout.write(JSON.stringify(sharedObjects.filter((path) => isAbsolute(path))))
