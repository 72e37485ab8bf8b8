import { pairwise, type Spread, spread } from "./Ratio.ts"

/** What was aimed at, and whether the measurement reached it; `undefined` if the run could not tell. */
export interface Goal {
  readonly text: string
  readonly holds: boolean | undefined
}

/** One measured fact. */
export interface Line {
  readonly question: string
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly spread?: Spread
  readonly goal?: Goal
  readonly note?: string
}

/** A question the bench answers with lines; `quick` shortens it to a smoke test whose numbers mean little. */
export type Question = (quick: boolean) => Promise<ReadonlyArray<Line>>

export const atLeast = (value: number, wanted: number): Goal => ({ text: `≥ ${wanted}`, holds: value >= wanted })

export const atMost = (value: number, wanted: number): Goal => ({ text: `≤ ${wanted}`, holds: value <= wanted })

/** What was measured once per round, as a rate unless another unit is named. */
export const measured = (question: string, what: string, rounds: ReadonlyArray<number>, unit = "/s") => {
  const all = spread(rounds)
  return { question, what, value: all.median, unit, spread: all } satisfies Line
}

/** The ratio of ours to theirs, round by round, and the least that is aimed at, if any. */
export const ratio = (
  question: string,
  what: string,
  ours: ReadonlyArray<number>,
  theirs: ReadonlyArray<number>,
  wanted?: number
): Line => {
  const line = measured(question, what, pairwise(ours, theirs), "×")
  return wanted === undefined ? line : { ...line, goal: atLeast(line.value, wanted) }
}

const number = (value: number) =>
  Number.isNaN(value) ? "?" : value.toLocaleString("en", { maximumFractionDigits: value >= 100 ? 0 : 2 })

const mark = (goal: Goal | undefined) =>
  goal === undefined ? "" : goal.holds === undefined ? "untold" : goal.holds ? "pass" : "FAIL"

const heads = ["question", "what", "value", "min–max", "goal", "", "note"]

/** The lines as a table for people. */
export const table = (lines: ReadonlyArray<Line>): string => {
  const rows = lines.map((line) => [
    line.question,
    line.what,
    `${number(line.value)} ${line.unit}`,
    line.spread === undefined ? "" : `${number(line.spread.min)}–${number(line.spread.max)}`,
    line.goal?.text ?? "",
    mark(line.goal),
    line.note ?? ""
  ])
  const all = [heads, ...rows]
  const widths = heads.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)))
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n")
}
