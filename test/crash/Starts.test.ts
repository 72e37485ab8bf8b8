import * as ExitCode from "#layers/ExitCode.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const bad = {
  PORT: "80a",
  DATABASE_URL: "mysql://root:hunter2@localhost/x",
  TIDINGS_SHARDS: "0",
  TIDINGS_SECRET_KEY: "c2hvcnQ=",
  TIDINGS_DURABILITY: "sometimes"
}

/**
 * A refusal takes no longer, in ms, beyond `start`, which is how long one that reads its settings and ends takes: a
 * second, or a quarter of that where the machine needs more than four for it.
 */
const atOnce = (start: number): number => Math.max(1_000, start / 4)

/** What a start said, line by line. */
const said = (output: string): ReadonlyArray<{ readonly level: string; readonly message: string }> =>
  output.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))

const refused = async (place: Places.Place, more: Readonly<Record<string, string>> = {}) => {
  const began = performance.now()
  const { code, output } = await CrashProcess.start(place, more).ended
  return { code, lines: said(output), output, millis: performance.now() - began }
}

describe("starts", () => {
  it.live(
    "bad configuration stops the start with one line per fault, naming the variable and not its value",
    () =>
      Effect.gen(function*() {
        const place = yield* Places.make("embedded")
        const { code, lines, output } = yield* Effect.promise(() => refused(place, bad))
        assert.strictEqual(code, ExitCode.configuration)
        assert.deepStrictEqual(
          lines.map(({ message }) => message.split(" ")[0]).toSorted(),
          Object.keys(bad).toSorted()
        )
        assert.isTrue(lines.every(({ level }) => level === "FATAL"))
        for (const secret of ["hunter2", bad.TIDINGS_SECRET_KEY]) assert.notInclude(output, secret)
      }),
    60_000
  )

  it.live(
    "a second process on one data directory is refused at once with a sentence naming the first; its death frees it",
    () =>
      Effect.gen(function*() {
        const place = yield* Places.make("embedded")
        const [seconds, pid, refusedIn, start, third] = yield* Effect.promise(async () => {
          const holder = CrashProcess.start(place)
          await holder.ready()
          const fastest = (starts: typeof seconds) => Math.min(...starts.map(({ millis }) => millis))
          // A start that reads its settings and ends: what remains is the time that the refusal itself takes. The fastest of
          // at most three, since a busy machine says nothing about either.
          const [baselines, seconds] = [[await refused(place, bad)], [await refused(place, { PORT: "0" })]]
          const isLate = () => fastest(seconds) - fastest(baselines) >= atOnce(fastest(baselines))
          while (baselines.length < 3 && isLate()) {
            baselines.push(await refused(place, bad))
            seconds.push(await refused(place, { PORT: "0" }))
          }
          const { pid } = holder
          await holder.kill()
          const third = CrashProcess.start(place)
          const ready = await third.ready()
          await third.kill()
          const start = fastest(baselines)
          return [seconds, pid, fastest(seconds) - start, start, ready] as const
        })
        for (const { code, lines } of seconds) {
          assert.strictEqual(code, 1)
          assert.lengthOf(lines, 1)
          assert.match(lines[0]?.message ?? "", new RegExp(`is in use by process ${pid} `))
        }
        assert.isBelow(refusedIn, atOnce(start))
        assert.isAbove(third, 0)
      }),
    240_000
  )
})
