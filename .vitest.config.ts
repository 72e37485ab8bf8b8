import { defaultExclude, defineConfig } from "vitest/config"
import { skipped } from "./test/support/Services.ts"

const report = process.env["TEST_REPORT"]

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...defaultExclude, ...skipped],
    globalSetup: "test/support/GlobalSetup.ts",
    // Generous: a slow machine is no failure, and a hung test still ends.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]]
  }
})
