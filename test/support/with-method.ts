/** The same object with one method replaced: how a test comes between the code under test and the database. */
export function withMethod<T extends object, Method extends keyof T> (object: T, method: Method, replacement: T[Method]): T {
  return new Proxy(object, {
    get (target, name) {
      if (name === method) return replacement
      const member = Reflect.get(target, name) as unknown
      return typeof member === 'function' ? member.bind(target) as unknown : member
    }
  })
}
