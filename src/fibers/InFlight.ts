/** A node of the list: a value in flight. */
export interface Entry<A> {
  readonly value: A
  before: Entry<A> | undefined
  after: Entry<A> | undefined
}

/**
 * A doubly linked list of values that come and go all the time, in the order in which they came.
 * A `Map` or `Set` that many values pass through keeps them alive long after they are deleted. When it grows or shrinks
 * into a new table, V8 leaves in the old table a pointer to the new one. An old table that was promoted by a full
 * collection therefore keeps all its successors, and all that was ever in them, alive through every minor collection.
 * Here a value that has left points to nothing, and nothing points to it.
 */
export class InFlight<A> {
  private first: Entry<A> | undefined
  private last: Entry<A> | undefined

  /** The entry that came first of those still there. */
  get oldest(): Entry<A> | undefined {
    return this.first
  }

  /** All values that are there, oldest first. */
  *values(): IterableIterator<A> {
    for (let entry = this.first; entry !== undefined; entry = entry.after) yield entry.value
  }

  add(value: A): Entry<A> {
    const entry: Entry<A> = { value, before: this.last, after: undefined }
    if (this.last === undefined) this.first = entry
    else this.last.after = entry
    this.last = entry
    return entry
  }

  /** Deletes what `add` answered. Idempotent. */
  delete(entry: Entry<A>): void {
    if (entry.before !== undefined) entry.before.after = entry.after
    else if (this.first === entry) this.first = entry.after
    if (entry.after !== undefined) entry.after.before = entry.before
    else if (this.last === entry) this.last = entry.before
    entry.before = undefined
    entry.after = undefined
  }
}
