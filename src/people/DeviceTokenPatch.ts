import { detailsOf, TokenDocument } from "#schemas/DeviceToken.ts"
import { isObject } from "#schemas/Json.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import { type DeviceToken, expiryFrom, TokenRefused } from "#src/people/DeviceTokens.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import { Effect, Schema, SchemaIssue } from "effect"

const codec = Schema.toCodecJson(TokenDocument)
const encode = Schema.encodeEffect(codec)
const decode = Schema.decodeUnknownEffect(codec)

const refused = (issue: SchemaIssue.Issue) => Effect.fail(new TokenRefused({ issue }))

/** Applies a JSON Patch (RFC 6902) to a token as the API shows it. `now` is epoch ms. */
export const apply = Effect.fnUntraced(function*(
  stored: DeviceToken,
  operations: ReadonlyArray<PatchOperation>,
  now: number
) {
  const document = yield* Effect.orDie(encode({
    token: stored.token,
    provider_key: stored.provider,
    expiry_date: stored.expires,
    device: stored.details.device,
    properties: stored.details.properties,
    tracking: stored.details.tracking,
    status: stored.status,
    status_reason: stored.statusReason
  }))
  const patched = yield* ProfileChange.patch(isObject(document) ? document : {}, operations)
  const { provider_key: provider, status, status_reason: statusReason, token, ...rest } = yield* decode(patched).pipe(
    Effect.catchTag("SchemaError", ({ issue }) => refused(issue))
  )
  if (token !== stored.token) {
    return yield* refused(
      new SchemaIssue.Pointer(["token"], new SchemaIssue.InvalidValue({ message: "A token cannot change its name" }))
    )
  }
  const write = { provider_key: provider, ...rest }
  return {
    token,
    provider,
    details: detailsOf(write),
    expires: expiryFrom(write, now),
    status,
    statusReason: statusReason ?? undefined
  } satisfies DeviceToken
})
