import type { Caller } from '../../domain/access.js'

/** Where an object that a root resolver hands down carries its caller (auth/field-rules). */
export const callerKey = Symbol('caller')

/** An object of a type with guarded fields. */
export interface Guarded { [callerKey]: Caller }
