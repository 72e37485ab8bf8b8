import * as BearerToken from "#layers/providers/BearerToken.ts"
import * as Cloud from "#layers/providers/MsTeamsCloud.ts"
import { badAddress, noFault, reading } from "#layers/providers/VendorDefinition.ts"
import type { Line, VendorAnswer } from "#layers/providers/VendorHttp.ts"
import { errorOf, type Fault, type VendorTable, waitOf } from "#layers/providers/VendorTable.ts"
import * as TokenAnswer from "#layers/providers/TokenAnswer.ts"
import { type DeliveryError, Unavailable } from "#schemas/DeliveryError.ts"
import { Effect, Redacted, Schema } from "effect"

/** The most tenants whose Graph tokens are kept at a time. */
const mostTenants = 100

const channels = reading(
  Schema.Struct({
    conversations: Schema.Array(
      Schema.Struct({ id: Schema.NonEmptyString, name: Schema.optional(Schema.NullOr(Schema.String)) })
    )
  })
)
const users = reading(Schema.Struct({ value: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString })) }))
const refusal = reading(Schema.Struct({ error: Schema.Struct({ code: Schema.optional(Schema.String) }) }))

const table: VendorTable = [{ status: 404, kind: "RecipientRejected" }]

/** Nothing was sent yet: a refusal here is a refusal and never leaves the outcome unknown. */
const refused = Effect.fnUntraced(function*(
  answer: VendorAnswer,
  words: string
): Effect.fn.Return<never, DeliveryError> {
  const code = answer.status < 300 ? undefined : refusal(answer)?.error.code
  const fault: Fault = code === undefined ? noFault : { codes: [code], message: "" }
  if (answer.status < 300) return yield* new Unavailable({ detail: `${words}: unreadable` })
  const known = { status: answer.status, fault, retryAfter: yield* waitOf(answer) }
  return yield* errorOf(table, known, `${words}: ${answer.status}`)
})

/** The name of a team's first channel, the only one without a name of its own. */
const general = "general"

/** The channel of a team by its name, in any case (Bot Connector: GET /v3/teams/{teamId}/conversations). */
export const channelNamed = Effect.fnUntraced(function*(
  line: Line,
  service: string,
  team: string,
  name: string
) {
  const answer = yield* line.prepare({
    method: "GET",
    url: `${service}/v3/teams/${encodeURIComponent(team)}/conversations`,
    headers: {}
  })
  const found = answer.status < 300 ? channels(answer)?.conversations : undefined
  if (found === undefined) return yield* refused(answer, "Teams listed no channels")
  const wanted = name.trim().toLowerCase()
  const channel = found.find((one) => (one.name ?? general).toLowerCase() === wanted)
  return channel?.id ?? (yield* badAddress("The team has no channel of that name"))
})

/**
 * Finds people by e-mail in Microsoft Graph with the bot's own credentials, which need the application permission
 * `User.ReadBasic.All` (learn.microsoft.com/graph/api/user-list).
 */
export const people = (settings: {
  readonly app_id: string
  readonly app_password: Redacted.Redacted
  readonly token_url?: string
  readonly graph_url?: string
}) => {
  const tokens = new Map<string, Effect.Success<ReturnType<typeof BearerToken.make>>>()

  const tokenOf = Effect.fnUntraced(function*(cloud: Cloud.Cloud, tenant: string) {
    const name = `${cloud.graph} ${tenant}`
    const known = tokens.get(name)
    if (known !== undefined) return known
    const made = yield* BearerToken.make((line) =>
      TokenAnswer.request(
        line,
        "Microsoft",
        settings.token_url ?? Cloud.login(cloud, tenant),
        {
          grant_type: "client_credentials",
          client_id: settings.app_id,
          client_secret: Redacted.value(settings.app_password),
          scope: `${cloud.graph}/.default`
        }
      )
    )
    if (tokens.size >= mostTenants) tokens.clear()
    tokens.set(name, made)
    return made
  })

  /** The id of the one user of the tenant with this address. */
  return Effect.fnUntraced(function*(line: Line, cloud: Cloud.Cloud, tenant: string, email: string) {
    const token = yield* tokenOf(cloud, tenant)
    const base = (settings.graph_url ?? cloud.graph).replace(/\/+$/, "")
    const quoted = email.replaceAll("'", "''")
    const query = new URLSearchParams({
      $filter: `mail eq '${quoted}' or userPrincipalName eq '${quoted}'`,
      $select: "id",
      $top: "2"
    })
    // A token keeps the permissions that it was issued with.
    const answer = yield* token.prepare(line, { method: "GET", url: `${base}/v1.0/users?${query}`, headers: {} }, [
      401,
      403
    ])
    const found = answer.status < 300 ? users(answer)?.value : undefined
    if (found === undefined) return yield* refused(answer, "Microsoft Graph found nobody")
    const [user] = found
    return user !== undefined && found.length === 1
      ? user.id
      : yield* badAddress("Not the address of one user of the Teams tenant")
  })
}
