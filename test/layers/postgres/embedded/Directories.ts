import * as FirstDatabase from "#layers/postgres/embedded/FirstDatabase.ts"
import { Effect } from "effect"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** An empty directory until the scope closes. */
export const empty = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "tidings-embedded-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/** A data directory with an empty database of its own: copies of `template`, which is made once by `initdb`. */
export const withDatabase = Effect.fnUntraced(function*(template: string) {
  const directory = yield* empty
  yield* Effect.promise(() => cp(template, join(directory, "postgres"), { recursive: true }))
  return directory
})

export const template = Effect.tap(
  Effect.map(empty, (directory) => join(directory, "template")),
  (directory) => Effect.promise(() => FirstDatabase.write(directory))
)
