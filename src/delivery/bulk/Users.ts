import { BulkUser } from "#schemas/Bulk.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Text from "#schemas/Text.ts"
import type { NewUser } from "#src/delivery/bulk/Jobs.ts"
import * as Groups from "#src/delivery/intake/Groups.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import * as Storable from "#src/delivery/intake/Storable.ts"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"

/** Nothing can be sent to a user of a job; `detail` is for the caller. */
class Unsendable extends Schema.TaggedError<Unsendable>()("Unsendable", { detail: Schema.String }) {}

/** Who a user of a job is, and the recipient of the user's message. */
export interface Addressee {
  readonly recipient: Recipient
  readonly identity: Recipients.Identity
}

const decode = Schema.decodeUnknownEffect(Recipient)
const encode = Schema.encodeSync(Schema.fromJsonString(BulkUser))

const given = (fields: object | null | undefined): { readonly [key: string]: unknown } =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined && value !== null))

/** The recipient that a user describes: `to` wins over `profile`, and the user's own fields win over both. */
const merged = ({ data, preferences, profile, recipient, to }: BulkUser) => ({
  ...given(profile),
  ...given(to),
  ...given({
    user_id: recipient,
    data: data ? { ...to?.data, ...data } : undefined,
    preferences
  })
})

/** Where the caller wrote what became a member of the recipient. */
const placeOf = ({ profile, to }: BulkUser, path: string): string => {
  const [member = ""] = path.split(".")
  if (member in given(to)) return `to.${path}`
  return member in given(profile) ? `profile.${path}` : path
}

/** The one person or address that a user of a job is (api.md §13). */
export const addressee = Effect.fnUntraced(function*(
  scope: Scope,
  user: BulkUser
): Effect.fn.Return<Addressee, Unsendable> {
  const recipient = yield* decode(merged(user)).pipe(
    // What the caller wrote elsewhere is of the right form already.
    Effect.mapError(({ issue }) => new Unsendable({ detail: sentence(issue, "profile") }))
  )
  const group = yield* Groups.of(recipient).pipe(
    Effect.mapError(({ detail, path }) => new Unsendable({ detail: `${placeOf(user, path)}: ${detail}` }))
  )
  if (group !== undefined) return yield* new Unsendable({ detail: "to: a user of a bulk job is one person" })
  const identity = Recipients.identify(scope, recipient)
  if (identity === undefined) {
    return yield* new Unsendable({
      detail: "one of recipient, to.user_id, profile.email and profile.phone_number is required"
    })
  }
  if (Storable.isTooLong({ recipient, identity })) {
    return yield* new Unsendable({ detail: `to or profile: ${Storable.tooLong}` })
  }
  const refused = Storable.refusedOfRecipient({ recipient, identity })
  if (refused !== undefined) return yield* new Unsendable({ detail: `${placeOf(user, refused)}: ${Text.unstorable}` })
  return { recipient, identity }
})

/** Characters of a refusal that are kept. */
const longest = 1_000

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

/**
 * A user as it is added to a job, with the key of its mailbox. If nothing can be sent to the user, the key is a digest
 * of what was given, the same at each repeat.
 */
export const of = (scope: Scope, user: BulkUser): Effect.Effect<NewUser> =>
  Effect.match(addressee(scope, user), {
    onSuccess: ({ identity }) => ({ key: identity.key, user, error: undefined }),
    onFailure: ({ detail }) => ({
      key: `unsendable:${digest(encode(user))}`,
      user,
      error: Text.stored(detail, longest)
    })
  })
