/** `--permissions A,B`, as several commands take it. */
import { InvalidArgumentError } from 'commander'
import { isPermission, type Permission } from '../domain/access.js'

/** Throws InvalidArgumentError, which ends the command as wrong usage. */
export function parsePermissions (text: string): Permission[] {
  const names = text.split(',').map((name) => name.trim()).filter((name) => name !== '')
  const unknown = names.find((name) => !isPermission(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no permission ${unknown}.`)
  return names.filter(isPermission)
}
