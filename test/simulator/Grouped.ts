import * as Chances from "#layers/testing/Chance.ts"
import type { Change, Given, Options, Story, World } from "#layers/testing/Simulation.ts"
import { type Array, Effect } from "effect"
import { given as everywhere, people, users } from "./People.ts"
import * as Ordinary from "./Story.ts"
import { all } from "./Unaimed.ts"

const plans: Array.NonEmptyReadonlyArray<string> = ["pro", "free"]
const tenants: Array.NonEmptyReadonlyArray<string> = ["acme", "acme", "team"]
const audiences: Array.NonEmptyReadonlyArray<string> = ["paying", "paying", "colleagues"]
const weekly = "weekly"

const profiles = Object.fromEntries(
  Object.entries(everywhere.profiles ?? {}).map((
    [user, profile],
    n
  ) => [user, { ...profile, plan: plans[n % 2] ?? "pro" }])
)

const paying = (plan: string) => ({ filter: { operator: "EQ" as const, path: "plan", value: plan } })

/** What the template says in this version. */
const version = (number: number) => ({
  elements: [{ type: "meta", title: "Weekly" }, { type: "text", content: `canary-version-${number}` }]
})

const given: Given = {
  ...everywhere,
  profiles,
  tenants: {
    acme: { name: "Acme", members: ["cleo", "dan", "eve"] },
    team: { name: "Team", parent_tenant_id: "acme", members: ["flo"] }
  },
  audiences: {
    paying: paying("pro"),
    colleagues: { filter: { operator: "MEMBER_OF", path: "account_id", value: "acme" } }
  },
  templates: { [weekly]: version(0) }
}

const times = (count: number, effect: (n: number) => Effect.Effect<unknown>): ReadonlyArray<Effect.Effect<unknown>> =>
  globalThis.Array.from({ length: count }, (_, n) => effect(n))

/** A send to a group for the most part, by a template or not. */
const sending = ({ chance, send }: World, n: number) => {
  const label = `call-${n}`
  const drawn = chance.next()
  const to = drawn < 0.4
    ? { tenant_id: chance.pick(tenants) }
    : drawn < 0.8
    ? { audience_id: chance.pick(audiences) }
    : chance.pick(people)
  const message = {
    to,
    data: { on: true },
    routing: { method: "single" as const, channels: ["email", "sms"] },
    metadata: { trace_id: label },
    ...(chance.happens(0.5)
      ? { template: weekly }
      : { content: { title: label, body: `canary-text ${label}` } })
  }
  return Effect.delay(send(message, { key: `key-${n}` }), chance.int(0, 30_000))
}

const change = (chance: Chances.Chance, n: number): Change => {
  const drawn = chance.next()
  const [tenantId, userId] = [chance.pick(tenants), chance.pick(users)]
  if (drawn < 0.35) return { _tag: chance.happens(0.5) ? "Join" : "Leave", tenantId, userId }
  if (drawn < 0.55) {
    return { _tag: "PutProfile", userId, profile: { ...everywhere.profiles?.[userId], plan: chance.pick(plans) } }
  }
  if (drawn < 0.75) return { _tag: "Publish", templateId: weekly, template: version(n + 1) }
  if (drawn < 0.85) return { _tag: "PutAudience", audienceId: "paying", audience: paying(chance.pick(plans)) }
  if (drawn < 0.9) return { _tag: "DeleteAudience", audienceId: chance.pick(audiences) }
  if (drawn < 0.95) return { _tag: "DeleteTenant", tenantId }
  return { _tag: "PutTenant", tenantId, tenant: { name: "Again" } }
}

/** Tenants, audiences and a template that change all the time while they are sent to. */
export const story: Story = (world) =>
  Effect.all([
    ...times(world.chance.int(3, 9), (n) => sending(world, n)),
    ...times(
      world.chance.int(3, 25),
      (n) => Effect.delay(world.change(change(world.chance, n)), world.chance.int(0, 45_000))
    )
  ], { concurrency: "unbounded", discard: true })

/** A world whose store is often away while a group is read, page by page. */
export const options = (seed: number): Options => {
  const chance = Chances.make(seed)
  return {
    ...Ordinary.options(seed),
    given,
    nodes: chance.happens(0.5) ? 1 : 3,
    faults: {
      ...all,
      kinds: [...all.kinds, "outage", "outage", "lag"],
      atMost: 8,
      within: 40_000,
      lostAnswers: chance.happens(0.5) ? 0.05 : all.lostAnswers
    }
  }
}
