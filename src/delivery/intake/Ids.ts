import { MessageId } from "#schemas/MessageId.ts"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"

const hex = (value: number, width: number): string => value.toString(16).padStart(width, "0")

/** Random bytes drawn for an id, of which 84 bits are used. */
const randomBytes = 11

/** Ids for which random bytes are drawn together: a draw costs more than all the rest of an id. */
const drawnTogether = 256

/**
 * `1-<seconds>-<3 hex: milliseconds><21 hex: random>`: within a scope, ids sort by the millisecond they were made in,
 * which is what lists of messages are ordered by. `now` is epoch ms.
 */
export const make = (now: number, random: Uint8Array): MessageId =>
  MessageId.make(
    `1-${hex(Math.floor(now / 1000), 8)}-${hex(now % 1000, 3)}${Buffer.from(random).toString("hex").slice(0, 21)}`
  )

/** Makes random ids that nobody can guess; `now` is epoch ms. */
export const generator: Effect.Effect<
  (now: number) => Effect.Effect<MessageId>,
  never,
  SecureRandom.SecureRandom
> = Effect.gen(function*() {
  const random = yield* SecureRandom.SecureRandom
  let drawn: Uint8Array = new Uint8Array()
  const next = (now: number): MessageId => {
    const id = make(now, drawn.subarray(0, randomBytes))
    drawn = drawn.subarray(randomBytes)
    return id
  }
  return (now) =>
    Effect.suspend(() =>
      drawn.length > 0
        ? Effect.succeed(next(now))
        : Effect.map(random.randomBytes(randomBytes * drawnTogether), (bytes) => {
          drawn = bytes
          return next(now)
        })
    )
})

const lastSecond = 0xffff_ffff

/** No id that is made at this time (epoch ms) or later is less: `1-<seconds>`. */
export const from = (at: number): string => `1-${hex(Math.min(Math.max(Math.floor(at / 1_000), 0), lastSecond), 8)}`

/** The second in which an id was made, as epoch ms. */
export const secondOf = (id: string): number => Number.parseInt(id.slice(2, 10), 16) * 1_000

/** Characters of an id up to its millisecond. */
export const originLength = 14

/**
 * The prefix that a request's id shares with those of all its messages. Hardly another request has the same: it would
 * have to be made in the same millisecond.
 */
export const origin = (id: MessageId): string => id.slice(0, originLength)

/**
 * The id of one recipient's message of a request to many: the same at every repeat, so that a repeated page changes
 * nothing.
 */
export const member = (request: MessageId, recipientKey: string): MessageId =>
  MessageId.make(
    `${origin(request)}${createHash("sha256").update(`${request}\n${recipientKey}`).digest("hex").slice(0, 21)}`
  )

/** Hex digits of a place among the messages of a request. */
const placeDigits = 8

/**
 * The id of the message at this place (from 0) of a request to many. Ids sort as the messages are made: a database
 * appends them to its indexes, where random ones would each touch a page of their own.
 */
export const at = (request: MessageId, place: number): MessageId =>
  MessageId.make(`${origin(request)}${hex(place, placeDigits)}${request.slice(originLength + placeDigits)}`)

/**
 * The id at this place for a page of these members and no others: a page that failed may be made again with others,
 * while messages that were begun with the first ones are still in hand.
 */
export const inPage = (request: MessageId, members: ReadonlyArray<string>): (place: number) => MessageId => {
  const digest = createHash("sha256").update(JSON.stringify([request, ...members])).digest("hex")
  const own = digest.slice(0, request.length - originLength - placeDigits)
  return (place) => MessageId.make(`${origin(request)}${hex(place, placeDigits)}${own}`)
}
