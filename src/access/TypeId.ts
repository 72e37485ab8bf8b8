import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** Random bytes for an id: 74 bits of them are used. */
const randomBytes = 10

/** The 128 bits of a UUID of version 7 (RFC 9562, 5.7): 48 bits of epoch ms, version, random, variant, random. */
const uuid = (now: number, random: Uint8Array): bigint => {
  const chance = random.subarray(0, randomBytes).reduce((bits, byte) => bits << 8n | BigInt(byte), 0n)
  const low = chance & 0x3fff_ffff_ffff_ffffn
  const high = chance >> 62n & 0xfffn
  return BigInt(now) << 80n | 7n << 76n | high << 64n | 2n << 62n | low
}

/**
 * A TypeID: a prefix that names the kind, `_`, and a UUID of version 7 as 26 characters of lower-case base32, so that
 * ids of one kind sort by the millisecond they were made in. `now` is epoch ms.
 */
export const make = (prefix: string, now: number, random: Uint8Array): string => {
  const bits = uuid(now, random)
  const text = Array.from({ length: 26 }, (_, n) => alphabet[Number(bits >> BigInt(5 * (25 - n)) & 31n)])
  return `${prefix}_${text.join("")}`
}

/** Makes ids of one kind that nobody can guess. */
export const generator = Effect.fnUntraced(function*(prefix: string) {
  const random = yield* SecureRandom.SecureRandom
  return Effect.gen(function*() {
    return make(prefix, yield* Clock.currentTimeMillis, yield* random.randomBytes(randomBytes))
  })
})
