import * as Standby from "#layers/postgres/connection/Standby.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as PrivatePostgres from "#test/support/PrivatePostgres.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A Postgres that is a standby, of nobody, from its second start on. */
const server = Effect.acquireRelease(
  Effect.promise(async () => {
    const directory = mkdtempSync(join(tmpdir(), "tidings-standby-"))
    const postgres = await PrivatePostgres.make(directory)
    const signal = join(directory, "data", "standby.signal")
    const demote = async () => {
      await postgres.stop("fast")
      writeFileSync(signal, "")
      execFileSync("chown", ["--reference", join(directory, "data"), signal])
      await postgres.start()
    }
    return { ...postgres, demote, directory }
  }),
  ({ directory, remove }) =>
    Effect.promise(async () => {
      await remove()
      rmSync(directory, { recursive: true, force: true })
    })
)

describe.skipIf(PrivatePostgres.programs() === undefined)("Standby", () => {
  it.live(
    "a start on a standby is refused in words that name it, one on its primary is not",
    () =>
      Effect.gen(function*() {
        const { demote, url } = yield* server
        const start = Effect.void.pipe(
          Effect.provide(Standby.layer),
          Effect.provide(FreshDatabase.node(Redacted.make(url)))
        )
        yield* start
        yield* Effect.promise(demote)
        assert.strictEqual(
          (yield* Effect.flip(start)).message,
          "DATABASE_URL leads to a standby, which is read-only; name its primary there, or promote it"
        )
      }),
    60_000
  )
})
