import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Finding } from "../Seeds.ts"
import { bugs } from "./Bugs.ts"

const child = fileURLToPath(new URL("Child.ts", import.meta.url))

/** A bug that more seeds do not find is one that the simulator does not see. */
const most = 2_000

/** Two children share the work; each takes every second bug. */
const search = async (numbers: ReadonlyArray<number>): Promise<ReadonlyArray<Finding | null>> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", child, String(most), ...numbers.map(String)],
    { maxBuffer: 1e8 }
  )
  return stdout.trim().split("\n").map((line): Finding | null => JSON.parse(line))
}

describe("planted bugs", () => {
  it("each is found", { timeout: 900_000 }, async () => {
    assert.isAtLeast(bugs.length, 12)
    const [even, odd] = await Promise.all(
      [0, 1].map((half) => search([...bugs.keys()].filter((number) => number % 2 === half)))
    )
    const findings = bugs.map((bug, n) => ({ bug, finding: (n % 2 === 0 ? even : odd)?.[n >> 1] ?? undefined }))
    const table = findings.map(({ bug, finding }) => {
      const where = finding === undefined ? "NOT FOUND" : `seed ${finding.seed}`.padEnd(9)
      // A search through all worlds before it, until the bug's own seed is brought up to date.
      const moved = finding === undefined || finding.seed === bug.seed ? "" : `, no longer ${bug.seed}`
      return `${where}${moved}  ${bug.name}: ${finding?.complaints[0]}`
    })
    console.log(table.join("\n"))
    assert.deepStrictEqual(findings.filter(({ finding }) => finding === undefined).map(({ bug }) => bug.name), [])
  })
})
