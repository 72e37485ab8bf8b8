import { assert, describe, it } from "@effect/vitest"
import * as Checker from "./Checker.ts"
import * as Seeds from "./Seeds.ts"

const named = process.env["SEED"]
const count = Number(process.env["SEEDS"] ?? "2000")

/** Seeds that once found something, for ever. */
const found = [
  11,
  31,
  53,
  78,
  104,
  122,
  133,
  147,
  204,
  333,
  337,
  521,
  577,
  762,
  811,
  828,
  842,
  1077,
  1218,
  1257,
  1349,
  1426,
  1435,
  1456,
  1523,
  1829,
  1836,
  1854,
  1937,
  1949,
  2280,
  2341,
  2619,
  2631,
  3622,
  3919,
  6077,
  6208,
  6679,
  7884,
  8075,
  19575,
  19814,
  38654,
  46775,
  86179,
  5023628
]

let [lived, spent] = [0, 0]

/** How the history of each seed that was lived ended. */
const hashes = new Map<number, string>()

const run = (name: string, seeds: ReadonlyArray<number>) =>
  it(`${name}`, { timeout: 600_000 }, () => {
    const began = process.cpuUsage()
    let [calls, messages, faults] = [0, 0, 0]
    for (const seed of seeds) {
      const history = Seeds.live(seed)
      assert.deepStrictEqual(Checker.complaints(history), [], `replay with SEED=${seed}`)
      hashes.set(seed, history.hash)
      calls += history.calls.length
      messages += history.messages.length
      faults += history.incidents.length
    }
    const { system, user } = process.cpuUsage(began)
    lived += seeds.length
    spent += (system + user) / 1e6
    const rate = (lived / spent).toFixed(0)
    console.log(
      `${lived} seeds so far, ${rate} per second of CPU: ${messages} messages, ${calls} calls, ${faults} faults`
    )
  })

const half = Math.ceil(count / 2)
const parts: ReadonlyArray<readonly [name: string, seeds: ReadonlyArray<number>]> = named === undefined
  ? [
    ["I1–I33 hold in the first half of the seeds", Array.from({ length: half }, (_, n) => n + 1)],
    ["I1–I33 hold in the second half of the seeds", Array.from({ length: count - half }, (_, n) => half + n + 1)],
    // The others are in the halves.
    ["what was found once does not come back", found.filter((seed) => seed > count)]
  ]
  : [[`seed ${named}`, [Number(named)]]]

describe("simulator", () => {
  for (const [name, seeds] of parts) run(name, seeds)

  it("the same seed is the same history", { timeout: 120_000 }, () => {
    for (let seed = 1; seed <= 100; seed++) {
      assert.strictEqual(Seeds.live(seed).hash, hashes.get(seed) ?? Seeds.live(seed).hash, `seed ${seed}`)
    }
  })
})
