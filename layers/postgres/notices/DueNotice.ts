import { Lane } from "#src/delivery/journal/OpenMessage.ts"

/** The channel of what is due. Whoever hears of a message there has heard of all that was changed before it. */
export const channel = "tidings_due"

export const kinds = [...Lane.literals, "expansions"] as const

/** What is read of a shard, each by a loop of its own: the messages of a lane, or requests to many. */
export type Kind = typeof kinds[number]

/** What is to be read of one shard. */
export interface Work {
  readonly shard: number
  readonly kind: Kind
}

/**
 * What a commit tells the owners of these shards: their numbers and then the kinds, as in `3,17,transactional`; nothing
 * if there is no work. A node of an earlier version takes a kind for a shard that it does not own, and reads all kinds.
 */
export const of = (work: Iterable<Work>): string | undefined => {
  const all = [...work]
  if (all.length === 0) return undefined
  return [...new Set([...all.map(({ shard }) => shard), ...all.map(({ kind }) => kind)])].join(",")
}

/** What a notice tells. `kinds` are `undefined`, as where a shard is given up, if all are to be read, or one is not known here. */
export const read = (
  notice: string
): { readonly shards: ReadonlyArray<number>; readonly kinds: ReadonlyArray<Kind> | undefined } => {
  const { number = [], word = [] } = Object.groupBy(notice.split(","), (part) => /^\d+$/.test(part) ? "number" : "word")
  const named = kinds.filter((kind) => word.includes(kind))
  return { shards: number.map(Number), kinds: word.length > 0 && word.length === named.length ? named : undefined }
}
