/** `npm run certify -- --minutes N [--only name] [--sends N --kills N]`: the crash certificate. Exit 1 on any breach. */
import * as Arguments from "#test/support/Arguments.ts"
import * as PrivatePostgres from "#test/support/PrivatePostgres.ts"
import type { Scenario } from "./Scenario.ts"
import * as Database from "./scenarios/Database.ts"
import { cutOff } from "./scenarios/CutOff.ts"
import { diskFull } from "./scenarios/DiskFull.ts"
import { frozen } from "./scenarios/Frozen.ts"
import { kills } from "./scenarios/Kills.ts"
import { overload } from "./scenarios/Overload.ts"
import { points } from "./scenarios/Points.ts"
import { powerCut } from "./scenarios/PowerCut.ts"
import { redis } from "./scenarios/Redis.ts"
import * as Ownership from "./scenarios/Ownership.ts"
import { workers } from "./scenarios/Workers.ts"
import { at } from "./Scenario.ts"
import { type Skipped, table, type Verdict } from "./Verdict.ts"

const { values } = Arguments.read(
  {
    options: {
      minutes: { type: "string", default: "10" },
      only: { type: "string" },
      on: { type: "string" },
      sends: { type: "string", default: "0" },
      kills: { type: "string", default: "0" },
      rate: { type: "string", default: "150" }
    }
  },
  "say npm run certify -- [--minutes N] [--only name,name] [--on \"embedded, node\"] [--sends N] [--kills N] [--rate N]"
)
const minutes = Arguments.number("minutes", values.minutes, 0)
const sends = Arguments.number("sends", values.sends, 0)
const rounds = Arguments.number("kills", values.kills, 0)
const perSecond = Arguments.number("rate", values.rate, 1)

const ownership: Scenario = (setting) => {
  const { postgres } = setting
  if (postgres === undefined)
    return Promise.resolve({ scenario: setting.name, skipped: "no Postgres server is installed" })
  const rounds = Math.max(1, Math.floor(setting.seconds / 90))
  return at(setting, (place) => Ownership.run(setting.name, place, postgres, { perSecond: 50, freeze: 25_000, rounds }))
}

const everywhere: Readonly<Record<string, Scenario>> = {
  kills: kills({ sends, kills: rounds }),
  points,
  frozen,
  redis,
  overload
}
const embedded: Readonly<Record<string, Scenario>> = { ...everywhere, "power cut": powerCut, "disk full": diskFull }
const onPostgres: Readonly<Record<string, Scenario>> = {
  ...everywhere,
  restarts: Database.restarts,
  "cut at commit": Database.cuts,
  ownership,
  workers,
  "cut off": cutOff
}

const settings = (["node", "deno"] as const).flatMap((runtime) => [
  { runtime, storage: "embedded" as const, scenarios: embedded },
  { runtime, storage: "Postgres" as const, scenarios: onPostgres }
])

const wanted = settings.flatMap(({ runtime, scenarios, storage }) =>
  Object.entries(scenarios).flatMap(([name, scenario]) => {
    const full = `${name}, ${storage}, ${runtime}`
    return (values.only === undefined || values.only.split(",").includes(name)) &&
        (values.on === undefined || full.includes(values.on))
      ? [{ full, scenario, runtime, storage }]
      : []
  })
)

// A certificate of nothing would be no breach.
const names = new Set(settings.flatMap(({ scenarios }) => Object.keys(scenarios)))
const unknown = (values.only?.split(",") ?? []).filter((name) => !names.has(name))
if (unknown.length > 0) Arguments.refuse(`no such scenario: ${unknown.join(", ")}; there are ${[...names].join(", ")}`)
if (wanted.length === 0) {
  const places = settings.map(({ runtime, storage }) => `"${storage}, ${runtime}"`).join(", ")
  Arguments.refuse(`no such scenario on "${values.on}"; the places are ${places}`)
}

const verdicts: Array<Verdict | Skipped> = []
// A run that is stopped tells of what it saw. What was started is ended by what listens for the exit.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    console.log(table(verdicts))
    console.error(`stopped after ${verdicts.length} of ${wanted.length} scenarios`)
    process.exit(130)
  })
}
const postgres = PrivatePostgres.programs() === undefined ? undefined : await PrivatePostgres.make()
const end = performance.now() + minutes * 60_000
for (const [n, { full, runtime, scenario, storage }] of wanted.entries()) {
  // What is left of the time, shared by what is left to run; the least of each runs in any case.
  const seconds = Math.max(3, (end - performance.now()) / 1_000 / (wanted.length - n) - 15)
  console.error(`${full}: ${Math.round(seconds)} s …`)
  try {
    const verdict = await scenario({ name: full, runtime, storage, postgres, seconds, perSecond })
    verdicts.push(verdict)
    console.error("skipped" in verdict ? "  not run" : `  ${verdict.breaches[0] ?? "pass"}`)
  } catch (error) {
    const why = error instanceof Error ? error.stack ?? error.message : String(error)
    verdicts.push({
      scenario: full,
      accepted: 0,
      handedOver: 0,
      lost: 0,
      duplicates: 0,
      bound: 0,
      slowestRecovery: 0,
      slowness: 1,
      breaches: [`it could not be carried through: ${why}`]
    })
  }
}
await postgres?.remove()
console.log(table(verdicts))
process.exit(verdicts.some((verdict) => "breaches" in verdict && verdict.breaches.length > 0) ? 1 : 0)
