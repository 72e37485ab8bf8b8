import { fileURLToPath } from "node:url"
import * as Process from "./Process.ts"
import { spread } from "./Ratio.ts"
import { atLeast, type Question } from "./Report.ts"

const worlds = fileURLToPath(new URL("Worlds.ts", import.meta.url))

/**
 * How many simulated worlds does a core run and check in a second? The start counts too; a full run has as many worlds
 * as one run of CI.
 */
export const simulator: Question = async (quick) => {
  const rates: Array<number> = []
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const { rate } = await Process.answer(worlds, { WORLDS: quick ? "20" : "2000" }) as { readonly rate: number }
    rates.push(rate)
  }
  const measured = spread(rates)
  return [{
    question: "simulator",
    what: "worlds of three nodes, lived and checked, per CPU second",
    value: measured.median,
    unit: "/s",
    spread: measured,
    goal: atLeast(measured.median, 60)
  }]
}
