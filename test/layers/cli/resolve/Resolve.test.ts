import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ answered: Schema.Int, different: Schema.Array(Schema.String) }))
)
const imports = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ imports: Schema.Record(Schema.String, Schema.String) }))
)

describe("resolve", () => {
  it("finds every module of a server where Node finds it, most of them without asking", () => {
    const { stderr, stdout } = spawnSync(process.execPath, ["--no-warnings", "test/layers/cli/resolve/Child.ts"], {
      cwd: root,
      encoding: "utf8"
    })
    assert.strictEqual(stderr, "")
    const { answered, different } = decode(stdout)
    assert.deepStrictEqual(different, [])
    assert.isAbove(answered, 4_000)
  }, 60_000)

  it("knows what the names of our folders mean", () => {
    for (const [name, path] of Object.entries(imports(readFileSync(`${root}package.json`, "utf8")).imports))
      assert.strictEqual(path, name.replace("#", "./"))
  })
})
