import type { Idempotency, IdempotencyKey, StoredResponse } from "#src/access/Idempotency.ts"
import * as Opaque from "#src/access/Opaque.ts"
import type { SecretKey } from "#src/access/SecretKey.ts"
import { Effect, Option } from "effect"

const placeOf = ({ path, scope, value }: IdempotencyKey): string => JSON.stringify([scope, path, value])

/**
 * Idempotency whose store sees the statuses and headers of responses, but their bodies only encrypted, each bound to
 * its key (P9).
 */
export const make = (idempotency: Idempotency["Service"], key: SecretKey["Service"]): Idempotency["Service"] => {
  const opaque = Opaque.make(key, "idempotency/answers")
  const sealed = (of: IdempotencyKey) => (response: StoredResponse): StoredResponse => ({
    ...response,
    body: opaque.seal(placeOf(of), response.body)
  })
  // Responses that an earlier version stored are not encrypted.
  const opened = (of: IdempotencyKey) => (response: StoredResponse): StoredResponse => ({
    ...response,
    body: opaque.open(placeOf(of), response.body) ?? response.body
  })

  return {
    ...idempotency,
    once: (of, operation) =>
      Effect.map(idempotency.once(of, Effect.map(operation, sealed(of))), ({ replayed, response }) => ({
        replayed,
        response: opened(of)(response)
      })),
    find: (of) => Effect.map(idempotency.find(of), Option.map(opened(of)))
  }
}
