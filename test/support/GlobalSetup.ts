import { globSync } from "node:fs"
import { missing, skipped } from "./Services.ts"

/** Says at the end of a run which suites were left out and why; where they are mandatory, refuses to begin. */
export const setup = () => {
  if (missing.length === 0) return undefined
  const why = `not reachable: ${missing.join(", ")}`
  if (process.env["CI_REQUIRE_SERVICES"] === "1") throw new Error(`Integration suites are mandatory here; ${why}`)
  const suites = globSync([...skipped]).sort()
  return () => console.warn(["", `SKIPPED ${suites.length} integration suites; ${why}`, ...suites, ""].join("\n  "))
}
