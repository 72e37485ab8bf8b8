import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"

const Entry = Schema.Struct({
  optionalDependencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
const decodeLock = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ packages: Schema.Record(Schema.String, Entry) }))
)
const { packages } = decodeLock(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"))

/** Formats for `npm run check` alone. The registry that the lock file was made with has it for Linux on x64 only. */
const onlyHere = "node_modules/dprint"

describe("a fresh clone", () => {
  it("finds the binaries of its own platform in the lock file, whichever that is", () => {
    // What the lock file does not name, npm before 11 does not install, and says nothing.
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !Object.hasOwn(packages, `node_modules/${name}`))
        .filter((name) => !Object.hasOwn(packages, `${path}/node_modules/${name}`))
        .map((name) => `${name} of ${path}`)
    )
    assert.deepStrictEqual(missing.filter((one) => !one.endsWith(` of ${onlyHere}`)), [])
  })
})
