import * as Directories from "#test/support/Directories.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")
/** The Node that comes with the dependencies, which npm finds first once it is installed. */
const packaged = join(root, "node_modules/node/bin/node")

describe("npm start, and the other scripts", () => {
  it.effect.skipIf(!existsSync(packaged) || process.platform === "win32")(
    "run on the caller's own Node if it is new enough, also once another one is installed",
    () =>
      Effect.gen(function*() {
        const own = join(yield* Directories.empty, "node")
        writeFileSync(own, "#!/bin/sh\necho on my own\n", { mode: 0o755 })
        const said = (version: string) =>
          spawnSync(packaged, [join(root, "layers/cli/launch.mjs"), "tidings", "--help"], {
            encoding: "utf8",
            env: {
              ...process.env,
              npm_node_execpath: own,
              npm_config_user_agent: `npm/11.0.0 node/v${version} linux x64`
            }
          }).stdout
        for (const version of ["22.19.0", "24.0.0", "26.10.0"])
          assert.strictEqual(said(version), "on my own\n", version)
        for (const version of ["20.20.2", "22.18.9"])
          assert.include(said(version), "trace", version)
      }),
    60_000
  )

  it.effect.skipIf(process.platform === "win32")(
    "say that npm is not there, where only Node is",
    () =>
      Effect.gen(function*() {
        const copy = yield* Directories.empty
        const own = ["launch", "heap", "resolve"].map((name) => `layers/cli/${name}.mjs`)
        for (const file of ["package.json", "package-lock.json", ...own]) cpSync(join(root, file), join(copy, file))
        const { status, stderr } = spawnSync(process.execPath, [join(copy, "layers/cli/launch.mjs"), "start"], {
          encoding: "utf8",
          env: { PATH: copy }
        })
        assert.strictEqual(status, 1)
        assert.include(stderr, "npm, which installs the dependencies, was not found")
      }),
    60_000
  )
})
