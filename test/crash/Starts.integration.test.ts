import * as ExitCode from "#layers/ExitCode.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const others = {
  TIDINGS_SHARDS: "63",
  TIDINGS_SECRET_KEY: Buffer.alloc(32, "other").toString("base64")
}

describe("starts on a database of another installation", () => {
  for (const [variable, value] of Object.entries(others)) {
    it.live(`a node with another ${variable} refuses to start, in one sentence`, () =>
      Effect.gen(function*() {
        const place = yield* Places.make("Postgres")
        const end = yield* Effect.promise(async () => {
          const first = CrashProcess.start(place)
          await first.ready()
          const second = await CrashProcess.start({ ...place, port: 0 }, { [variable]: value }).ended
          await first.kill()
          return second
        })
        const lines = end.output.split("\n").filter((line) => line !== "")
        assert.strictEqual(end.code, ExitCode.configuration)
        assert.lengthOf(lines, 1)
        const { level, message }: { readonly level: string; readonly message: string } = JSON.parse(lines[0] ?? "")
        assert.strictEqual(level, "FATAL")
        assert.include(message, variable)
        if (variable === "TIDINGS_SECRET_KEY") assert.notInclude(message, value)
      }), 60_000)
  }
})
