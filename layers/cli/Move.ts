import { counted } from "#layers/cli/Counted.ts"
import { print } from "#layers/cli/Print.ts"
import { Stopped } from "#layers/cli/Server.ts"
import * as Store from "#layers/cli/Store.ts"
import * as Durability from "#layers/postgres/connection/Durability.ts"
import * as Encoding from "#layers/postgres/connection/Encoding.ts"
import * as Standby from "#layers/postgres/connection/Standby.ts"
import * as DataDirectory from "#layers/postgres/embedded/DataDirectory.ts"
import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as Moved from "#layers/postgres/embedded/Moved.ts"
import * as Move from "#layers/postgres/move/Move.ts"
import * as Target from "#layers/postgres/move/Target.ts"
import { KeyFile } from "#layers/settings/SecretKeyFile.ts"
import type { Values } from "#layers/settings/Settings.ts"
import { Clock, Console, Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

/** Whoever waits hears of it so often, in ms. */
const every = 5_000

/** Where a database is, without its user and password. */
const placeOf = (url: Redacted.Redacted): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `${host}${decodeURIComponent(pathname)}`
}

const number = (count: number): string => count.toLocaleString("en-US")

/** Tells now and then how far it is. */
const telling = Effect.map(Clock.currentTimeMillis, (began) => {
  let last = began
  return Effect.fnUntraced(function*(done: number, of: number, what: string) {
    const now = yield* Clock.currentTimeMillis
    if (now - last < every) return
    last = now
    yield* Console.error(`${number(done)} of ${number(of)} ${what}`)
  })
})

/** The operator's database, brought to this version's schema unless it is an installation of its own. */
const target = (settings: Values) =>
  Migrations.layer.pipe(
    Layer.provideMerge(Layer.effectDiscard(Effect.gen(function*() {
      yield* Target.refuse(yield* SqlClient.SqlClient, (yield* Moved.read(settings.dataDir))?.id)
    }))),
    Layer.provideMerge(Layer.merge(Encoding.layer, Durability.layer)),
    Layer.provideMerge(Standby.layer),
    Layer.provideMerge(Store.client(settings))
  )

const table = (found: ReadonlyArray<Move.Counted>): string => {
  const filled = found.filter(({ source }) => source > 0)
  const rows = [
    ["table", "here", "there"],
    ...filled.map(({ source, table, target }) => [table, number(source), number(target)])
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return [
    ...rows.map(([name = "", here = "", there = ""]) =>
      `${name.padEnd(widths[0] ?? 0)}  ${here.padStart(widths[1] ?? 0)}  ${there.padStart(widths[2] ?? 0)}`
    ),
    `and ${counted(found.length - filled.length, "empty table")}`
  ].join("\n")
}

const steps = (to: string, key: { readonly file: string } | undefined, dataDir: string): string =>
  [
    `Everything is in ${to} now. Start the server with that DATABASE_URL: without it, a start is refused.`,
    key === undefined
      ? "TIDINGS_SECRET_KEY has to stay as it is."
      : `The secret key was not moved: keep ${key.file}, where a server on this machine finds it; nodes elsewhere need it as TIDINGS_SECRET_KEY.`,
    `What is in ${dataDir} stays as it was; \`postgres\` in it may be removed when you are content.`
  ].join("\n")

/** Moves the embedded store of the data directory to DATABASE_URL. */
export const run = Store.withSettings(Effect.fnUntraced(function*(settings) {
  const { databaseUrl, dataDir, durability } = settings
  if (databaseUrl === undefined) {
    return yield* new Stopped({ sentence: "DATABASE_URL is not set: name the empty database to move to", code: 1 })
  }
  if (!(yield* Store.has(dataDir, DataDirectory.databaseIn(dataDir)))) {
    const sentence = `there is no embedded database in ${dataDir}: set TIDINGS_DATA_DIR as the server has it`
    return yield* new Stopped({ sentence, code: 1 })
  }
  const move = Effect.gen(function*() {
    const source = yield* SqlClient.SqlClient
    yield* Layer.build(Migrations.layer)
    const there = Context.get(yield* Layer.build(target(settings)), SqlClient.SqlClient)
    // Not before there is a connection, which says what is wrong with the URL.
    const to = placeOf(databaseUrl)
    const found = yield* Move.run({ source, target: there, directory: dataDir, to, told: yield* telling })
    if (found !== undefined) yield* print(`${table(found)}\n`)
    yield* print(steps(to, yield* KeyFile, dataDir))
  }).pipe(Effect.scoped)
  yield* Store.opened(
    { ...settings, databaseUrl: undefined },
    () => Embedded.layer({ dataDir, durability, moved: true }),
    move
  )
}))
