/**
 * V8 keeps a string in one of some ten ways, by how it has come about: read from JSON, cut from another, put together, of one byte a character or two. Code that reads the length or a character of a string is
 * compiled to read any, as long as no more than four kinds have come by before; after a fifth it looks each read up in a table, for good. In an import thread there are six, and whether the BSON serializer, which reads
 * every short string a character at a time, is compiled before the fifth or after it is chance. So V8 is told to go on with as many kinds as there are (docs/performance.md, "Kinds of strings").
 */
import { setFlagsFromString } from 'node:v8'

/** Of V8's, for a process that is begun with it. */
export const stringKindsFlag = '--max-valid-polymorphic-map-count=12'

/** For all threads of this process. Before there is much to compile. */
export function followStringKinds (): void {
  setFlagsFromString(stringKindsFlag)
}
