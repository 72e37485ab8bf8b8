import type { PatchOperation } from "#schemas/PatchOperation.ts"
import * as DeviceTokenPatch from "#src/people/DeviceTokenPatch.ts"
import type { DeviceToken } from "#src/people/DeviceTokens.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const stored: DeviceToken = {
  token: "t",
  provider: "apn",
  details: { device: { platform: "ios" }, properties: { a: [1] }, tracking: { ip: "::1" } },
  expires: 1_900_000_000_000,
  status: "active",
  statusReason: "new"
}

const patched = (...operations: ReadonlyArray<PatchOperation>) => DeviceTokenPatch.apply(stored, operations, 0)

describe("DeviceTokenPatch", () => {
  it.effect("changes what it names and keeps all the rest", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* patched(), stored)
      const replaced = yield* patched({ op: "replace", path: "/status", value: "revoked" })
      assert.deepStrictEqual(replaced, { ...stored, status: "revoked" })
      const moved = yield* patched({ op: "replace", path: "/provider_key", value: "expo" }, {
        op: "remove",
        path: "/status_reason"
      })
      assert.deepStrictEqual(moved, { ...stored, provider: "expo", statusReason: undefined })
      const bare = yield* patched({ op: "remove", path: "/tracking" }, {
        op: "replace",
        path: "/expiry_date",
        value: false
      })
      const { tracking: _, ...details } = stored.details
      assert.deepStrictEqual(bare, { ...stored, details, expires: false })
    }))

  it.effect("is refused where it names another token, or would leave none", () =>
    Effect.gen(function*() {
      for (const [path, value] of [["/token", "u"], ["/status", "asleep"], ["/provider_key", 1]] as const) {
        assert.strictEqual((yield* Effect.flip(patched({ op: "replace", path, value })))._tag, "TokenRefused")
      }
      assert.strictEqual((yield* Effect.flip(patched({ op: "remove", path: "/none" })))._tag, "PatchRefused")
    }))
})
