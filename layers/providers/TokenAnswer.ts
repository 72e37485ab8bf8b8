import { waitOf } from "#layers/providers/VendorTable.ts"
import { type Line, type VendorAnswer, type VendorRequest } from "#layers/providers/VendorHttp.ts"
import type { Issued } from "#layers/providers/BearerToken.ts"
import { Misconfigured, Unavailable } from "#schemas/DeliveryError.ts"
import { Effect, Option, Schema } from "effect"

/** RFC 6749 §5.1. */
const Answer = Schema.Struct({ access_token: Schema.NonEmptyString, expires_in: Schema.Number })
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

const judge = (
  name: string,
  answer: VendorAnswer,
  retryAfter: number | undefined
): Effect.Effect<Issued, Unavailable | Misconfigured> => {
  const { status } = answer
  if (status === 408 || status === 429 || status >= 500) {
    return Effect.fail(new Unavailable({ detail: `${name} gave no token: ${status}`, retryAfter }))
  }
  if (status < 200 || status > 299)
    return Effect.fail(new Misconfigured({ detail: `${name} gave no token: ${status}` }))
  return Option.match(decode(answer.body), {
    onNone: () => Effect.fail(new Unavailable({ detail: `${name} gave no readable token` })),
    onSome: (token) => Effect.succeed({ token: token.access_token, lifetimeMs: token.expires_in * 1_000 })
  })
}

/**
 * Asks an OAuth 2 token endpoint, with a form. The message is not sent before it answers, so a failure here never
 * leaves the outcome unknown.
 */
export const request = Effect.fnUntraced(function*(
  line: Line,
  name: string,
  url: string,
  form: Readonly<Record<string, string>>
) {
  const asked: VendorRequest = {
    method: "POST",
    url,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams(form).toString()
  }
  const answer = yield* line.prepare(asked)
  return yield* judge(name, answer, yield* waitOf(answer))
})
