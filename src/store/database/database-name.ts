/** The database that a MongoDB URL names; `catalog` when it names none. */
export function databaseName (url: string): string {
  const name = new URL(url.replace(/^mongodb(\+srv)?:/, 'http:').replace(/,[^/]*/, '')).pathname.slice(1)
  return name === '' ? 'catalog' : decodeURIComponent(name)
}
