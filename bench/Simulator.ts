import { fileURLToPath } from "node:url"
import * as Process from "./Process.ts"
import { atLeast, measured, type Question } from "./Report.ts"

const worlds = fileURLToPath(new URL("Worlds.ts", import.meta.url))

/**
 * How many simulated worlds does a core run and check in a second? The start counts too; a full run has as many worlds
 * as one run of CI.
 */
export const simulator: Question = async (quick) => {
  const rates: Array<number> = []
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    rates.push(await Process.rate(worlds, { WORLDS: quick ? "20" : "2000" }))
  }
  const line = measured("simulator", "worlds of three nodes, lived and checked, per CPU second", rates)
  return [{ ...line, goal: atLeast(line.value, 60) }]
}
