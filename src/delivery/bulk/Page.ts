import type { Recipient } from "#schemas/Recipient.ts"
import * as Expansion from "#src/delivery/Expansion.ts"
import type { Page, PageMember } from "#src/delivery/expansion/Expansions.ts"
import * as Addressing from "#src/delivery/intake/Addressing.ts"
import type { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as Users from "#src/delivery/bulk/Users.ts"
import * as Progress from "#src/delivery/bulk/Progress.ts"
import { Effect } from "effect"

/** The recipient of a user's message, in the job's language where the user has none in the job. */
const spoken = (recipient: Recipient, locale: string | undefined): Recipient =>
  locale === undefined || typeof recipient.locale === "string" ? recipient : Object.assign({}, recipient, { locale })

/** The next page of a request that is a bulk job, and the place that it reaches: a place counts the job's users. */
export const next = Effect.fnUntraced(function*(options: {
  readonly request: Addressing.Request
  readonly job: string
  readonly locale?: string | undefined
  readonly place: Expansion.Place
  readonly size: number
  readonly at: number
  readonly shards: number
  readonly jobs: Jobs["Service"]
}) {
  const { at, job, jobs, locale, place, request, shards, size } = options
  const { id: requestId, scope } = request
  const isNumbered = Expansion.isNumbered(place)
  const { isLast, users } = yield* jobs.sendable(scope, job, place.index, size)
  // A user without an error had an addressee when it was added.
  const found = yield* Effect.forEach(
    users,
    (one) => Effect.map(Effect.orDie(Users.addressee(scope, one.user)), (addressee) => ({ one, ...addressee }))
  )
  const members = found.map(({ identity, one, recipient }): PageMember => {
    const id = Progress.messageIdOf(requestId, { isNumbered }, one)
    return Addressing.member(request, id, spoken(recipient, locale), identity, shards)
  })
  const page: Page = {
    common: Addressing.common(request, "bulk", at),
    members,
    profiles: found.flatMap(({ recipient }) => Addressing.profiles(scope, recipient))
  }
  const last = users.at(-1)
  const index = last === undefined ? place.index : last.position + 1
  const reached: Expansion.Place = isNumbered ? { index, made: index } : { index }
  return { page, reached, isLast }
})
