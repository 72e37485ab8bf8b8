import { asking, tidings } from "#test/layers/cli/Command.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { Effect } from "effect"

/** What a stub says: a 200 unless it names another status, and this as JSON. */
export interface Said {
  readonly status?: number
  readonly body: unknown
}

/** A server that says to each request what `answer` gives, and the command that asks it, with a key of its own. */
export const stub = Effect.fnUntraced(function*(answer: (asked: ScriptedVendor.Seen) => Said) {
  const { origin, seen } = yield* ScriptedVendor.listen({
    script: (asked) => {
      const { body, status = 200 } = answer(asked)
      return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    }
  })
  const command = (...args: ReadonlyArray<string>) => Effect.promise(() => tidings("node", asking(origin), ...args))
  return { origin, seen, command }
})
