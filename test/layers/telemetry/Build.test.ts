import * as Build from "#layers/telemetry/Build.ts"
import { version } from "#schemas/Version.ts"
import * as Directories from "#test/support/Directories.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

describe("what this process runs", () => {
  it("has the version of package.json", () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"))
    assert.propertyVal(manifest, "version", version)
    assert.strictEqual(Build.build["version"], version)
  })

  it.effect("has the commit of its checkout: on a branch, after references were packed, and on none", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.empty
      const write = (path: string, text: string) => {
        mkdirSync(dirname(join(directory, ".git", path)), { recursive: true })
        writeFileSync(join(directory, ".git", path), `${text}\n`)
      }
      const commit = () => Build.commitOf(directory)
      assert.isUndefined(commit())
      write("HEAD", "ref: refs/heads/main")
      assert.isUndefined(commit())
      write("packed-refs", "# pack-refs with: peeled fully-peeled sorted\n11 refs/heads/mai\n22 refs/heads/main\n^33")
      assert.strictEqual(commit(), "22")
      write("refs/heads/main", "44")
      assert.strictEqual(commit(), "44")
      write("HEAD", "55")
      assert.strictEqual(commit(), "55")
    }))
})
