import * as Tls from "#layers/postgres/connection/Tls.ts"
import * as Sessions from "#layers/postgres/connection/Sessions.ts"
import { said } from "#layers/CannotStart.ts"
import * as TestCertificate from "#test/layers/outbound/TestCertificate.ts"
import * as PrivatePostgres from "#test/support/PrivatePostgres.ts"
import { cert as otherCert } from "#test/layers/providers/receipts/SnsCertificate.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A Postgres that answers over TLS, by a certificate for 127.0.0.1 that signed itself, and the directory of what a client may know of it. */
const server = Effect.acquireRelease(
  Effect.promise(async () => {
    const directory = mkdtempSync(join(tmpdir(), "tidings-tls-"))
    // Its user is another one.
    chmodSync(directory, 0o755)
    const postgres = await PrivatePostgres.make(directory)
    const data = join(directory, "data")
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    }
    writeFileSync(join(data, "server.crt"), TestCertificate.cert)
    writeFileSync(join(data, "server.key"), TestCertificate.key, { mode: 0o600 })
    execFileSync("chown", ["--reference", data, join(data, "server.crt"), join(data, "server.key")])
    await postgres.stop("fast")
    writeFileSync(join(data, "postgresql.auto.conf"), "ssl = on\n")
    await postgres.start()
    return {
      ...postgres,
      directory,
      right: file("right.crt", TestCertificate.cert),
      wrong: file("wrong.crt", otherCert)
    }
  }),
  ({ directory, remove }) =>
    Effect.promise(async () => {
      await remove()
      rmSync(directory, { recursive: true, force: true })
    })
)

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ ssl: Schema.Boolean })]))

/** Whether its sessions are encrypted, or why there are none. */
const trying = Effect.fnUntraced(function*(at: string, parameters: Readonly<Record<string, string>>) {
  const url = Redacted.make(`${at}?${new URLSearchParams(parameters)}`)
  const asked = SqlClient.SqlClient.use((sql) => sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)
  const client = Layer.unwrap(Effect.map(Tls.ofUrl(url), (ssl) => Sessions.layer({ url, maxConnections: 1, ssl })))
  return yield* asked.pipe(
    Effect.flatMap(decode),
    Effect.map(([{ ssl }]) => ssl ? "encrypted" : "plain"),
    Effect.provide(client),
    Effect.catch((error) => Effect.succeed(said(error)))
  )
}, Effect.provide(NodeServices.layer))

describe.skipIf(PrivatePostgres.programs() === undefined)("TLS of DATABASE_URL", () => {
  it.live(
    "is as its URL says: the operator's own authority is believed, another one is not, and only verify-ca takes any name",
    () =>
      Effect.gen(function*() {
        const { right, url, wrong } = yield* server
        const elsewhere = url.replace("127.0.0.1", "localhost")
        const full = { sslmode: "verify-full" }
        assert.strictEqual(yield* trying(url, {}), "plain")
        assert.strictEqual(yield* trying(url, { ...full, sslrootcert: right }), "encrypted")
        assert.strictEqual(yield* trying(url, { sslmode: "require", sslrootcert: right }), "encrypted")
        assert.strictEqual(yield* trying(url, { sslrootcert: right }), "encrypted")
        assert.strictEqual(yield* trying(url, { sslmode: "disable", sslrootcert: right }), "plain")
        assert.include(yield* trying(url, full), "certificate")
        assert.include(yield* trying(url, { ...full, sslrootcert: "system" }), "certificate")
        assert.include(yield* trying(url, { ...full, sslrootcert: wrong }), "certificate")
        assert.include(yield* trying(elsewhere, { ...full, sslrootcert: right }), "altnames")
        assert.strictEqual(yield* trying(elsewhere, { sslmode: "verify-ca", sslrootcert: right }), "encrypted")
        assert.include(yield* trying(elsewhere, { sslmode: "verify-ca", sslrootcert: wrong }), "certificate")
        assert.include(yield* trying(url, { ...full, sslrootcert: "/nowhere/ca.crt" }), "sslrootcert=/nowhere/ca.crt")
      }),
    60_000
  )
})
