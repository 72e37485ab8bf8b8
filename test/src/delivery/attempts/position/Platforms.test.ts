import type { Attempt } from "#schemas/Attempt.ts"
import { position } from "#src/delivery/attempts/Position.ts"
import { attempt, candidate, channel, nextOf, plan, situation } from "#test/src/delivery/attempts/position/Positions.ts"
import { assert, describe, it } from "@effect/vitest"

/** Lives through a message of which each call ends so, in the order of the calls. */
const walked = (name: string, kinds: ReadonlyArray<NonNullable<Attempt["kind"]>>) => {
  const walked = plan("single", [channel(name, ["one", "two", "three"].map((key) => candidate(name, key)))])
  const attempts: Array<Attempt> = []
  while (true) {
    const next = position(walked, attempts, situation(0))
    const kind = kinds[attempts.length]
    if (next._tag !== "Next" || kind === undefined) return { next, called: attempts.map(({ provider }) => provider) }
    attempts.push(attempt(attempts.length + 1, next.candidate, "rejected", 0, kind))
  }
}

const refusals = ["RecipientRejected", "ContentRejected"] as const
const refused = refusals[0]

const of = (channels: ReadonlyArray<string>) =>
  channels.flatMap((name) => refusals.map((kind): [string, (typeof refusals)[number]] => [name, kind]))

describe("Position: what one provider refuses", () => {
  it.each(of(["push", "direct_message"]))(
    "%s, %s: each platform has an address and a form of its own, so the next one is asked",
    (name, kind) => {
      assert.deepStrictEqual(nextOf(walked(name, [kind]).next), [name, "two"])
      const { called, next } = walked(name, [kind, kind, kind])
      assert.deepStrictEqual(called, ["one", "two", "three"])
      assert.strictEqual(next._tag === "Failed" && next.last?.kind, kind, "the end, if none takes it")
    }
  )

  it.each(of(["email", "sms"]))("%s, %s: the providers are given the same, so no other is asked", (name, kind) => {
    const { called, next } = walked(name, [kind, kind])
    assert.deepStrictEqual(called, ["one"])
    assert.strictEqual(next._tag === "Failed" && next.last?.kind, kind)
  })

  it("a platform that its breaker leaves alone keeps its turn when another one refuses the recipient", () => {
    const [left, asked] = [candidate("push", "one"), candidate("push", "two")]
    const open = { openUntil: ({ provider }: { provider: string }) => provider === "one" ? 30_000 : undefined }
    const attempts = [attempt(1, asked, "rejected", 0, refused)]
    const next = position(plan("single", [channel("push", [left, asked])]), attempts, situation(1, open))
    assert.deepStrictEqual(nextOf(next), ["push", "one"])
  })
})
