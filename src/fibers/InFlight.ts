/** A place in what is in flight. */
export interface Entry<A> {
  readonly value: A
  before: Entry<A> | undefined
  after: Entry<A> | undefined
}

/**
 * Values that come and go all the time, in the order in which they came.
 *
 * A `Map` or a `Set` that many values pass through keeps them alive long after they are deleted: when it makes itself a new table, V8 leaves in
 * the old one a pointer to the new. An old table that a full collection found in use hands its successors, and all that was ever in them, from
 * one collection of the nursery to the next. Here a value that has left points to nothing, and nothing to it.
 */
export class InFlight<A> {
  private first: Entry<A> | undefined
  private last: Entry<A> | undefined

  /** What came first of those that are there. */
  get oldest(): Entry<A> | undefined {
    return this.first
  }

  /** All that are there, from the oldest on. */
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

  /** Deletes what `add` answered; once, or as often as one likes. */
  delete(entry: Entry<A>): void {
    if (entry.before !== undefined) entry.before.after = entry.after
    else if (this.first === entry) this.first = entry.after
    if (entry.after !== undefined) entry.after.before = entry.before
    else if (this.last === entry) this.last = entry.before
    entry.before = undefined
    entry.after = undefined
  }
}
