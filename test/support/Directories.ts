import * as DataDirectory from "#layers/postgres/embedded/DataDirectory.ts"
import * as FirstDatabase from "#layers/postgres/embedded/FirstDatabase.ts"
import { Effect } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** An empty directory until the scope closes. */
export const empty = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "tidings-test-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

const root = new URL("../../", import.meta.url)
const cache = fileURLToPath(new URL("node_modules/.cache/", root))

/** Changes with whatever could make another database. */
const version = createHash("sha256")
  .update(readFileSync(new URL("node_modules/@electric-sql/pglite/package.json", root)))
  .update(readFileSync(new URL("layers/postgres/embedded/FirstDatabase.ts", root)))
  .digest("hex").slice(0, 16)

/** An empty database, which is made once for all runs: `initdb` takes seconds of processor time. */
const template = async (): Promise<string> => {
  const place = join(cache, `tidings-database-${version}`)
  if (existsSync(place)) return place
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(`${place}.`)
  await FirstDatabase.write(join(draft, "database"))
  // Another process may have been faster.
  await rename(join(draft, "database"), place).catch((error) => existsSync(place) ? undefined : Promise.reject(error))
  await rm(draft, { recursive: true, force: true })
  return place
}

/** A data directory as it is left by a first start that was killed before its migrations. It is there until the scope closes. */
export const withDatabase = Effect.tap(empty, (directory) =>
  Effect.promise(async () => {
    await cp(await template(), DataDirectory.databaseIn(directory), { recursive: true })
    await writeFile(join(directory, "secret.key"), randomBytes(32).toString("base64"), { mode: 0o600 })
  }))
