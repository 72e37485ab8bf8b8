import { defaultExclude, defineConfig } from "vitest/config"
import { availableParallelism } from "node:os"
import { LongestFirst } from "./test/support/LongestFirst.ts"
import { skipped } from "./test/support/Services.ts"

const report = process.env["TEST_REPORT"]

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...defaultExclude, ...skipped],
    // Many files wait for processes of theirs. No more than four: their servers share the connections of one Postgres.
    maxWorkers: Math.min(availableParallelism() + 1, 4),
    // Half of a run was spent on loading the same modules for each file again. No test replaces a module.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    globalSetup: "test/support/GlobalSetup.ts",
    setupFiles: "test/support/EqualErrors.ts",
    // Generous: a slow machine is no failure, and a hung test still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]]
  }
})
