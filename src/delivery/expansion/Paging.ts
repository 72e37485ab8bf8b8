import * as Addressing from "#src/delivery/intake/Addressing.ts"
import { decodeRecipient, isNumbered, type Place } from "#src/delivery/Expansion.ts"
import type { Page, PageMember } from "#src/delivery/expansion/Expansions.ts"
import * as Groups from "#src/delivery/intake/Groups.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import type { NewProfile } from "#src/delivery/Journal.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import type { Member, Members, Source } from "#src/people/Members.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Context, Effect } from "effect"

/** Messages of one commit. */
export const pageSize = 1_000

/**
 * `pageSize`, unless a simulated world sets another: it has small lists, and its kills are to come between their pages.
 */
export const PageSize = Context.Reference<number>("tidings/delivery/PageSize", { defaultValue: () => pageSize })

/** Characters that the messages of one commit may repeat, since each is stored with all that the request says. */
const mostRepeated = 16_000_000

/**
 * How many messages a page of a request may have: `most`, or fewer if the request says much, since each message repeats
 * it.
 */
export const sizeOf = (instructions: string, most: number): number =>
  Math.max(1, Math.min(most, Math.floor(mostRepeated / instructions.length)))

/** Look-ups of members that one page makes: many small groups are several pages. */
const mostQuestions = 20

/**
 * How long after its acceptance, in ms, a request waits for audiences to follow what was written before it. Where more
 * is written all the time than is followed, it would wait for ever; and if the clock was set back since, until that has
 * caught up.
 */
const patience = 2_000

/** A caller is told of so many characters of what was wrong with a request's groups. */
const longestFault = 1_000

const said = (faults: ReadonlyArray<string>): string =>
  faults.reduce((told, fault) => told.length > longestFault ? told : `${told}; ${fault}`)

/** Whether a walk of the group meets each user once: its members are of one list, audience or tenant. */
const isOfOne = (source: Source): boolean =>
  source._tag === "List" || source._tag === "Audience" || (source._tag === "Tenant" && !source.includeChildren)

/**
 * The next page of a request to many, and the place that it reaches. A page is the same whenever it is made, as long as
 * the members are: the ids come from the request and the recipient, so that a person met twice is one message, as first
 * met. Where nobody can be met twice, they are numbered instead, which is cheaper to store; if the members have changed,
 * the page has other ids (`Ids.inPage`). A group that does not exist is one message too, which ends as UNROUTABLE
 * (api.md §8), and a `fault` of the place, as is one that was deleted before its last member was met.
 */
export const next = Effect.fnUntraced(function*(options: {
  readonly request: Addressing.Request
  /** As they are stored. */
  readonly recipients: ReadonlyArray<unknown>
  readonly place: Place
  readonly at: number
  readonly shards: number
  readonly size: number
  readonly members: Members["Service"]
}) {
  const { at, members, place, recipients, request, shards, size } = options
  const { id: requestId, scope } = request
  const found = new Map<MessageId, PageMember>()
  const profiles = new Map<string, NewProfile>()
  const faults = place.fault === undefined ? [] : [place.fault]
  let { after, index, made = 0 } = place

  const met = (key: string) => Ids.member(requestId, key)
  const numberedIn = (page: ReadonlyArray<Member>) => {
    const idAt = Ids.inPage(requestId, page.map(({ userId }) => userId))
    return () => idAt(made++)
  }
  const add = (recipient: Recipient, idOf = met, identity = Recipients.identify(scope, recipient)) => {
    if (identity === undefined) return
    const id = idOf(identity.key)
    if (!found.has(id)) found.set(id, Addressing.member(request, id, recipient, identity, shards))
  }

  let questions = 0
  while (found.size < size && questions < mostQuestions && index < recipients.length) {
    const recipient = yield* decodeRecipient(recipients[index])
    const group = yield* Groups.of(recipient)
    if (group === undefined) {
      add(recipient)
      for (const one of Addressing.profiles(scope, recipient)) {
        if (!profiles.has(one.userId)) profiles.set(one.userId, one)
      }
      index++
      continue
    }
    questions++
    const limit = size - found.size
    const latest = after === undefined && Math.abs(at - request.acceptedAt) < patience
    const page = yield* members.page(scope, group.source, { after, limit, memberOf: group.memberOf, latest })
    const idOf = isNumbered(place) && recipients.length === 1 && isOfOne(group.source) ? numberedIn(page) : met
    for (const one of page) add(Groups.member(recipient, one), idOf)
    // An empty page comes behind the last member of a group, or of a group that does not exist.
    if (page.length === 0 && group.source._tag !== "Pattern" && !(yield* members.exists(scope, group.source))) {
      const { identity, recipient } = Groups.nobody(scope, group.source)
      if (after === undefined) add(recipient, met, identity)
      faults.push(
        `${Groups.named(recipient)} ${
          after === undefined ? "does not exist" : "was deleted before its last member had a message"
        }`
      )
    }
    const last = page.at(-1)
    if (last !== undefined && page.length === limit) after = { group: last.group, userId: last.userId }
    else {
      index++
      after = undefined
    }
  }

  const fault = faults.length === 0 ? undefined : said(faults)
  const reached: Place = {
    index,
    ...(after === undefined ? {} : { after }),
    ...(made === 0 ? {} : { made }),
    ...(fault === undefined ? {} : { fault })
  }
  const page: Page = {
    common: Addressing.common(request, "bulk", at),
    members: [...found.values()],
    profiles: [...profiles.values()]
  }
  return { page, reached, isLast: index >= recipients.length }
})
