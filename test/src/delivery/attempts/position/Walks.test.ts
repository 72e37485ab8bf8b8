import type { Attempt } from "#schemas/Attempt.ts"
import * as Chances from "#layers/testing/Chance.ts"
import type { Escalation } from "#src/delivery/attempts/Escalation.ts"
import { type Branch, candidates, type Plan } from "#src/delivery/attempts/Plan.ts"
import { position } from "#src/delivery/attempts/Position.ts"
import { attempt, candidate, channel, plan, situation } from "#test/src/delivery/attempts/position/Positions.ts"
import { assert, describe, it } from "@effect/vitest"

const kinds = ["Unavailable", "RateLimited", "Misconfigured", "RecipientRejected"] as const

/** A routing of routings, in which each provider has one place. */
const draw = (chance: Chances.Chance): Plan => {
  let providers = 0
  const provider = (name: string) =>
    candidate(name, `provider-${providers++}`, chance.happens(0.1) ? 30_000 : undefined)
  const some = <A>(most: number, make: () => A) => Array.from({ length: chance.int(1, most) }, make)
  const leaf = (): Branch => {
    const name = `channel-${providers}`
    return { ...channel(name, some(3, () => provider(name))), method: chance.happens(0.25) ? "all" : "single" }
  }
  const routing = (depth: number): Branch => ({
    ...plan(
      chance.happens(0.5) ? "all" : "single",
      some(3, () => depth < 2 && chance.happens(0.4) ? routing(depth + 1) : leaf())
    ),
    timeout: depth > 0 && chance.happens(0.3) ? chance.int(1_000, 40_000) : undefined
  })
  return routing(0)
}

/** Lives through a message: its calls succeed or fail as chance wills, and breakers open and close. No outcome is unknown. */
const walk = (seed: number, escalation?: Escalation) => {
  const chance = Chances.make(seed)
  const walked = draw(chance)
  const attempts: Array<Attempt> = []
  let now = 0
  while (true) {
    const ill = new Set(candidates(walked).filter(() => chance.happens(0.2)).map(({ provider }) => provider))
    const until = now + chance.int(1, 60_000)
    const next = position(
      walked,
      attempts,
      situation(now, {
        openUntil: ({ provider }) => ill.has(provider) ? until : undefined,
        escalation
      })
    )
    if (next._tag !== "Next") return { walked, attempts, ended: next._tag }
    assert.isBelow(attempts.length, 200, "it ends")
    now = Math.max(now, next.at)
    // A provider that is left alone is asked later; by then it may be well.
    if (ill.has(next.candidate.provider)) continue
    const outcome = chance.happens(0.4)
      ? attempt(attempts.length + 1, next.candidate, "accepted", now)
      : attempt(attempts.length + 1, next.candidate, "rejected", now, chance.pick(kinds))
    attempts.push(outcome)
  }
}

const taken = (part: Plan, attempts: ReadonlyArray<Attempt>): number =>
  candidates(part).filter(({ provider }) =>
    attempts.some((one) => one.provider === provider && one.state === "accepted")
  ).length

const branches = (part: Plan): ReadonlyArray<Branch> =>
  part._tag === "Candidate" ? [] : [part, ...part.children.flatMap(branches)]

describe("Position: a message's whole walk", () => {
  const seeds = Array.from({ length: 3_000 }, (_, n) => n + 1)

  it("api.md 26.3: of `single`, one part takes it and no other besides", () => {
    for (const seed of seeds) {
      const { attempts, walked } = walk(seed)
      for (const branch of branches(walked).filter(({ method }) => method === "single")) {
        const parts = branch.children.filter((child) => taken(child, attempts) > 0)
        assert.isAtMost(parts.length, 1, `seed ${seed}`)
      }
    }
  })

  it("a call that was not made counts for nothing, wherever it stands among the others", () => {
    for (const seed of seeds) {
      const chance = Chances.make(seed)
      const { attempts, walked } = walk(seed)
      const some = attempts.slice(0, chance.int(0, attempts.length))
      const now = (some.at(-1)?.startedAt ?? 0) + chance.int(0, 20_000)
      const unmade = () =>
        candidates(walked).filter(() => chance.happens(0.2)).map((one) =>
          attempt(0, one, "rejected", some.at(-1)?.startedAt ?? 0)
        )
      assert.deepStrictEqual(
        position(walked, [...some.flatMap((one) => [...unmade(), one]), ...unmade()], situation(now)),
        position(walked, some, situation(now)),
        `seed ${seed}`
      )
    }
  })

  it("no provider that took it is asked again, and a message ends as what became of its calls", () => {
    for (const seed of seeds) {
      const { attempts, ended, walked } = walk(seed)
      for (const { provider } of candidates(walked)) {
        const own = attempts.filter((one) => one.provider === provider)
        assert.isTrue(own.slice(0, -1).every(({ state }) => state === "rejected"), `seed ${seed}`)
      }
      assert.strictEqual(ended, taken(walked, attempts) > 0 ? "Succeeded" : "Failed", `seed ${seed}`)
    }
  })

  it("api.md 26.3: of an `all` that took it, or of a message that failed, each part is tried", () => {
    for (const seed of seeds) {
      const { attempts, ended, walked } = walk(seed)
      const isTried = (part: Plan) =>
        candidates(part).some(({ provider }) => attempts.some((one) => one.provider === provider))
      for (
        const branch of branches(walked).filter(({ channel, method }) => method === "all" && channel === undefined)
      ) {
        if (ended === "Succeeded" && taken(branch, attempts) === 0) continue
        if (isTried(branch)) assert.isTrue(branch.children.every(isTried), `seed ${seed}`)
      }
    }
  })

  it("api.md 26.4: what nobody has seen goes on to each channel, never before its time", () => {
    const after = 3_600_000
    for (const seed of seeds) {
      const { attempts, ended, walked } = walk(seed, { after, isMet: false })
      const of = (part: Plan) => {
        const own = new Set(candidates(part).map(({ provider }) => provider))
        return attempts.filter(({ provider }) => own.has(provider))
      }
      assert.strictEqual(ended, taken(walked, attempts) > 0 ? "Succeeded" : "Failed", `seed ${seed}`)
      for (const branch of branches(walked).filter((one) => one.channel === undefined && one.method === "single")) {
        branch.children.forEach((child, n) => {
          const before = branch.children.slice(0, n).flatMap(of).filter(({ state }) => state === "accepted")
          const [first] = of(child)
          const last = before.at(-1)
          if (last !== undefined && first !== undefined && first.number > last.number)
            assert.isAtLeast(first.startedAt, last.startedAt + after, `seed ${seed}`)
        })
      }
      if (branches(walked).every(({ timeout }) => timeout === undefined)) {
        for (const branch of branches(walked).filter(({ channel }) => channel === undefined)) {
          for (const child of branch.children) assert.isNotEmpty(of(child), `seed ${seed}`)
        }
      }
    }
  })
})
