import * as Webhook from "#layers/providers/Webhook.ts"
import { Outbound, type OutboundRequest } from "#src/delivery/Outbound.ts"
import { delivery } from "#test/contracts/VendorRow.ts"
import * as Mail from "#test/layers/providers/rows/Email.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Schema } from "effect"

const address = { url: "https://hooks.example/a", method: "POST", headers: { "x-one": "1", "x-two": "2" } }

/** The request that a webhook with this override becomes. */
const posted = Effect.fnUntraced(function*(override: Schema.JsonObject) {
  const seen: Array<OutboundRequest> = []
  const webhook = yield* Webhook.make.pipe(Effect.provideService(Outbound, {
    request: (request) => {
      seen.push(request)
      return Effect.succeed({ status: 200, headers: {}, body: "", truncated: false })
    }
  }))
  const sent = yield* Effect.exit(webhook.send(delivery(Mail.resend, { profile: { webhook: address }, override })))
  return { sent, request: seen[0] }
})

describe("Webhook", () => {
  it.effect("a message overrides the url, the method, headers and the body of its call (api.md §3)", () =>
    Effect.gen(function*() {
      const plain = yield* posted({})
      assert.deepInclude(plain.request, { url: address.url, method: "POST" })
      const { request } = yield* posted({
        url: "https://hooks.example/b",
        method: "PUT",
        headers: { "x-two": "3", "x-three": "4" },
        body: { mine: true, content: { title: "mine" } }
      })
      assert.deepInclude(request, { url: "https://hooks.example/b", method: "PUT" })
      assert.deepInclude(request?.headers, { "x-one": "1", "x-two": "3", "x-three": "4" })
      const [before, after] = [plain, { request }].map(({ request }) => JSON.parse(String(request?.body)))
      assert.deepStrictEqual(after, { ...before, mine: true, content: { ...before.content, title: "mine" } })
    }))

  it.effect("an override that is none is the content's fault, and nothing is called", () =>
    Effect.gen(function*() {
      const { request, sent } = yield* posted({ method: "DELETE" })
      assert.isUndefined(request)
      assert.isTrue(Exit.isFailure(sent))
    }))
})
