import * as Simulation from "#layers/testing/Simulation.ts"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"

const environments = [1, 2] as const

type Environment = Simulation.Environment

const topic = "news"
/** Their provider says so in one environment before it is asked in the other. */
const dead: Readonly<Record<string, ReadonlyArray<Environment>>> = { "ann@x.test": [1, 2], "ben@x.test": [2, 1] }

const vendors: ReadonlyArray<Simulation.VendorOptions> = [
  { key: "mail", channel: "email", address: "email", rejects: Object.keys(dead) },
  { key: "text", channel: "sms", address: "phone_number" },
  { key: "app", channel: "push", address: "expo" }
]

const given: Simulation.Given = {
  profiles: { ada: {}, cleo: { email: "cleo@x.test" } },
  tenants: { acme: { name: "Acme", members: ["ada"] }, team: { name: "Team" } },
  templates: { weekly: { elements: [{ type: "text", content: "nothing yet" }] } },
  topics: [topic]
}

/** Of what an environment keeps, each part says in which it is. */
const mark = (what: string, environment: Environment) => `${what}-of-${environment}`
const marks = ["template", "translation", "tenant"]

const phones = { 1: "+15550100001", 2: "+15550100002" } as const

/** As many as are sent, and one less. */
const limits = { 1: 2, 2: 1 } as const

/** The same things, which are not the same in each environment. */
const prepared = Effect.fnUntraced(function*({ change }: Simulation.World, environment: Environment) {
  const changes: ReadonlyArray<Simulation.Change> = [
    { _tag: "PutProfile", userId: "ada", profile: { email: `${mark("ada", environment)}@x.test`, locale: "de" } },
    {
      _tag: "PutTenant",
      tenantId: "acme",
      tenant: {
        name: "Acme",
        properties: { says: mark("tenant", environment) },
        user_profile: { phone_number: phones[environment] }
      }
    },
    {
      _tag: "Publish",
      templateId: "weekly",
      template: {
        elements: [
          { type: "text", content: `${mark("template", environment)} {{t "greeting"}} {{tenant.properties.says}}` }
        ]
      }
    },
    { _tag: "Translate", locale: "de", po: `msgid "greeting"\nmsgstr "${mark("translation", environment)}"\n` },
    { _tag: "PutToken", userId: "ada", token: mark("device", environment), device: { provider_key: "expo" } },
    { _tag: "PutSendLimit", per: "topic", period: "week", limit: { limit: limits[environment] } },
    environment === 1
      ? { _tag: "DeleteTenant", tenantId: "team" }
      : { _tag: "Join", tenantId: "acme", userId: "cleo" }
  ]
  for (const one of changes) yield* change(one, environment)
})

const content = { title: "Hello", body: "World" }
const greeted = { title: "Hello", body: "World{{tenant.properties.says}}" }
const news = { to: { email: "eve@x.test" }, content, preferences: { subscription_topic_id: topic } }

const messages: Readonly<Record<string, Parameters<Simulation.World["send"]>[0]>> = {
  weekly: {
    to: { user_id: "ada" },
    template: "weekly",
    routing: { method: "all", channels: ["email", "sms", "push"] }
  },
  one: news,
  other: news,
  cleo: { to: { user_id: "cleo" }, content: greeted, routing: { method: "single", channels: ["email"] } },
  team: { to: { tenant_id: "team" }, content, routing: { method: "single", channels: ["email"] } }
}

/** Everything is sent in both, under the same keys. */
const story: Simulation.Story = Effect.fnUntraced(function*(world) {
  yield* Effect.all(environments.map((environment) => prepared(world, environment)), { concurrency: 2 })
  // A change counts everywhere after this.
  yield* Effect.sleep("5 seconds")
  const sends = environments.flatMap((environment) =>
    Object.entries(messages).map(([key, message]) =>
      Effect.delay(world.send(message, { key, environment }), world.chance.int(0, 30_000))
    )
  )
  yield* Effect.all(sends, { concurrency: "unbounded" })
  for (const [email, order] of Object.entries(dead)) {
    for (const environment of order) {
      yield* world.send({ to: { email }, content }, { key: email, environment })
      yield* Effect.sleep("10 minutes")
    }
  }
  // Who wants no more in one environment is written to in the other.
  const call = world.calls.find(({ address, scope, taken }) => taken && address === "eve@x.test" && Number(scope) === 2)
  if (call !== undefined) yield* world.report(call, "Complain")
  yield* world.send({ to: news.to, content }, { key: "later", environment: 1 })
})

const inEnvironment = (
  { calls, messages, requests }: Simulation.History,
  environment: Environment
): ReadonlyArray<string> => {
  const other = environment === 1 ? 2 : 1
  const mine = calls.filter(({ scope }) => Number(scope) === environment)
  const idOf = (key: string) =>
    requests.find((one) => one.key === key && Number(one.scope) === environment)?.requestId ?? `${key}: none`
  const made = (key: string) =>
    new Set(messages.filter(({ requestId }) => requestId === idOf(key)).map(({ id }) => id as string))
  const of = (key: string) => {
    const ids = made(key)
    return mine.filter(({ messageId }) => ids.has(messageId))
  }
  const throttled = messages.filter(({ scope, status }) => Number(scope) === environment && status === "THROTTLED")
  const weekly = of("weekly")
  const said = weekly.find(({ channel }) => channel === "email")?.text ?? ""
  const reached = new Set(weekly.map(({ address }) => address))
  const addresses = [`${mark("ada", environment)}@x.test`, phones[environment], mark("device", environment)]
  return [
    ...mine.filter(({ address, text }) => `${address} ${text}`.includes(`-of-${other}`)).map(({ number }) =>
      `call ${number} in ${environment} has something of ${other}`
    ),
    ...marks.flatMap((what) => said.includes(mark(what, environment)) ? [] : [`no ${mark(what, environment)} is said`]),
    ...(addresses.join() === [...reached].join()
      ? []
      : [`in ${environment} ada was reached at ${[...reached].join()}`]),
    ...(throttled.length === 2 - limits[environment] ? [] : [`in ${environment} ${throttled.length} are throttled`]),
    // It stands for the team that is not there; the other one has no members.
    ...(made("team").size === 2 - environment ? [] : [`in ${environment} ${made("team").size} are made for the team`]),
    ...(of("cleo").every(({ text }) => text.includes(mark("tenant", 2)) === (environment === 2))
      ? []
      : [`in ${environment} cleo was written to as if she were in the tenant of the other`]),
    ...[...Object.keys(dead), ...(environment === 1 ? ["later"] : [])].flatMap((key) =>
      of(key).length > 0 ? [] : [`what was refused elsewhere was not sent in ${environment}: ${key}`]
    )
  ]
}

describe("two environments", () => {
  it.effect(
    "P10: have the same users, tenants, templates, limits and keys, and nothing of each other",
    () =>
      Simulation.check({
        story,
        complaints: (history) => environments.flatMap((environment) => inEnvironment(history, environment))
      }, { seeds: 12, given, vendors }),
    300_000
  )
})
