import * as StandBack from "#layers/StandBack.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"

const threads = () =>
  readdirSync("/proc/self/task").map((thread) => ({
    name: readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trim(),
    niceness: getPriority(Number(thread))
  }))

describe("V8's own threads", () => {
  it.effect("are nicer than those that work, which stay as they are", (context) =>
    Effect.gen(function*() {
      if (process.platform !== "linux") return context.skip("threads have no priorities of their own here")
      yield* StandBack.v8
      const own = getPriority()
      const all = threads()
      const isOfV8 = ({ name }: typeof all[number]) => name.startsWith("V8")
      assert.isNotEmpty(all.filter(isOfV8))
      assert.isTrue(all.filter(isOfV8).every(({ niceness }) => niceness === Math.min(own + 10, 19)))
      assert.isTrue(all.filter((thread) => !isOfV8(thread)).every(({ niceness }) => niceness === own))
    }))
})
