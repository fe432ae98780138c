/**
 * Members that share an id, such as the variants that are linked to one image: all of a group get another id at once, at a cost that does
 * not depend on how many they are. Union-find: a group that joins another one becomes its child, the smaller one of the two, so the
 * way to the root is short without being shortened, and joining can be undone.
 */

/** What changes is told as how to undo it, in reverse order. null: what is only looked up in another way, or will not be undone. */
export type OnChange = (undo: () => void) => void

export class Group {
  parent: Group | null = null
  /** Of a root. null: the id is gone, and with it what its members had. */
  id: string | null
  /** Of a root: how many members it has. */
  count = 0
  /** Of a root: what its members weigh together. */
  weight = 0

  constructor (id: string) { this.id = id }

  get root (): Group {
    let group: Group = this // eslint-disable-line @typescript-eslint/no-this-alias
    while (group.parent !== null) group = group.parent
    return group
  }
}

export class SharedIds {
  #groups: Map<string, Group> | null = null

  /** The group of that id, if any member has it. */
  get (id: string): Group | undefined { return this.#groups?.get(id) }

  /** Gives a new member its id. */
  join (id: string, weight: number, onChange: OnChange | null): Group {
    let group = this.get(id)
    if (group === undefined) {
      group = new Group(id)
      this.#put(id, group, onChange)
    }
    this.#add(group, 1, weight, onChange)
    return group
  }

  /** Takes a member out of its group. */
  leave (member: Group, weight: number, onChange: OnChange | null): void {
    this.#add(member.root, -1, -weight, onChange)
  }

  /** Takes the group away from its id, and gives it. Its members are none's until it is given one by `rename`. */
  detach (id: string, onChange: OnChange | null): Group | undefined {
    const group = this.get(id)
    if (group === undefined) return undefined
    this.#groups?.delete(id)
    group.id = null
    onChange?.(() => {
      group.id = id
      this.#groups?.set(id, group)
    })
    return group
  }

  /** Gives all members of a detached group this id, besides those that have it already. */
  rename (group: Group, id: string, onChange: OnChange | null): void {
    const there = this.get(id)
    if (there === undefined) {
      group.id = id
      onChange?.(() => { group.id = null })
      this.#put(id, group, onChange)
      return
    }
    const [root, child] = there.count < group.count ? [group, there] : [there, group]
    child.parent = root
    child.id = null
    root.id = id
    onChange?.(() => {
      child.parent = null
      group.id = null
      there.id = id
    })
    this.#put(id, root, onChange)
    this.#add(root, child.count, child.weight, onChange)
  }

  #add (group: Group, count: number, weight: number, onChange: OnChange | null): void {
    group.count += count
    group.weight += weight
    onChange?.(() => {
      group.count -= count
      group.weight -= weight
    })
  }

  #put (id: string, group: Group, onChange: OnChange | null): void {
    const groups = this.#groups ??= new Map<string, Group>()
    const before = groups.get(id)
    groups.set(id, group)
    onChange?.(() => {
      if (before === undefined) groups.delete(id)
      else groups.set(id, before)
    })
  }
}
