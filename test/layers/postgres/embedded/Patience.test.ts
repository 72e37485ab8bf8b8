import * as Protocol from "#layers/postgres/embedded/Protocol.ts"
import * as Wire from "#layers/postgres/embedded/Wire.ts"
import * as Raw from "#test/layers/postgres/embedded/Raw.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Buffer } from "node:buffer"

/** In ms; a machine that stands still for so long is taken for an idle transaction. */
const patience = 1_500

/** A backend that is inside of a transaction from its first statement on. */
const wire = () =>
  Wire.make({
    run: () => Result.succeed(Protocol.idle),
    inTransaction: () => true,
    greeting: () => Buffer.alloc(0),
    broken: () => undefined
  }, { patience })

describe("Wire: a transaction that others wait for", () => {
  it.live("is left alone while it works, however long, and ended once it is idle", () =>
    Effect.gen(function*() {
      const { connect } = wire()
      const [busy, waiting] = [connect(), connect()]
      const ended = new Promise<void>((resolve) => busy.once("close", resolve))
      busy.resume()
      for (const connection of [busy, waiting]) connection.write(Buffer.concat([Raw.hello, Raw.query("SELECT 1")]))
      for (let worked = 0; worked < 20; worked++) {
        yield* Effect.sleep(patience / 15)
        assert.isFalse(busy.destroyed)
        busy.write(Raw.query("SELECT 1"))
      }
      yield* Effect.promise(() => ended)
      assert.isFalse(waiting.destroyed)
      waiting.destroy()
    }))
})
