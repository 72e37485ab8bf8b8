import { fnv1a } from "#src/delivery/shards/Hash.ts"
import { Context } from "effect"

/** How many shards the recipients are spread over; fixed at the first migration (design.md §4). */
export const ShardCount = Context.Reference<number>("tidings/ShardCount", { defaultValue: () => 64 })

export const shardOf = (recipientKey: string, count: number): number => fnv1a(recipientKey) % count
