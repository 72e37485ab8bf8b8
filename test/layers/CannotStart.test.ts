import { CannotConnect, CannotListen, sentence, WorkerFailed } from "#layers/CannotStart.ts"
import * as ExitCode from "#layers/ExitCode.ts"
import { DataDirectoryUnusable } from "#layers/postgres/embedded/EmbeddedError.ts"
import { assert, describe, it } from "@effect/vitest"
import { Runtime } from "effect"
import { SqlError } from "effect/sql"

const saidOf = (code: string, message: string) =>
  new CannotListen({
    address: "node-1:23000",
    variable: "TIDINGS_CLUSTER_HOST or TIDINGS_CLUSTER_PORT",
    cause: Object.assign(new Error(message), { code })
  }).message

describe("a start that cannot listen", () => {
  it("says to free its port where another process has it, and nowhere else", () => {
    const rest = "set TIDINGS_CLUSTER_HOST or TIDINGS_CLUSTER_PORT"
    const told = {
      EADDRINUSE: `another process listens there; free it or ${rest}`,
      EADDRNOTAVAIL: `it is no address of this machine; ${rest}`,
      EACCES: `this user may not listen there; ${rest}`,
      ENOTFOUND: `this machine knows no host of that name; ${rest}`,
      EAI_AGAIN: `getaddrinfo EAI_AGAIN node-1; ${rest}`
    }
    for (const [code, sentence] of Object.entries(told)) {
      assert.strictEqual(saidOf(code, `getaddrinfo ${code} node-1`), `cannot listen on node-1:23000: ${sentence}`)
    }
  })
})

describe("a start that the system does not let use something", () => {
  it("is tried in vain on a port that is not for this user; all else, a path too, may be over at the next try", () => {
    const codeOf = (code: string) => {
      const cause = Object.assign(new Error(code), { code })
      return [
        new CannotListen({ address: "port 80", variable: "PORT", cause }),
        new DataDirectoryUnusable({ directory: "/data", cause })
      ].map(Runtime.getErrorExitCode)
    }
    assert.deepStrictEqual(codeOf("EACCES"), [ExitCode.configuration, 1])
    for (const code of ["EADDRINUSE", "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EROFS", "ENOENT", "ENOSPC", "EMFILE"])
      assert.deepStrictEqual(codeOf(code), [1, 1], code)
  })

  it("ends as its worker did, where that could not start for the settings; however else it ended, with 1", () => {
    const codeOf = (code: number) => Runtime.getErrorExitCode(new WorkerFailed({ message: "", code }))
    assert.deepStrictEqual([78, 0, 1, 3].map(codeOf), [78, 1, 1, 1])
  })
})

describe("a start whose data directory cannot be written", () => {
  it("says to make room where there is none, and else to make it writable", () => {
    const told = { "ENOSPC: no space left on device, write": "make room there", "EROFS: read-only": "make it writable" }
    for (const [said, remedy] of Object.entries(told)) {
      assert.strictEqual(
        new DataDirectoryUnusable({ directory: "/data", cause: new Error(said) }).message,
        `data directory /data cannot be used: Error: ${said}; ${remedy}, or set TIDINGS_DATA_DIR`
      )
    }
  })
})

describe("a start that its database does not let in", () => {
  const toldOf = (message: string) =>
    new CannotConnect({
      cause: new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error(message) }) })
    }).message

  it("says how to name the authority of its certificate, which Node and Deno each know in words of their own", () => {
    const words = [
      "self-signed certificate",
      "self-signed certificate in certificate chain",
      "unable to verify the first certificate",
      "unable to get local issuer certificate",
      "invalid peer certificate: UnknownIssuer"
    ]
    for (const word of words) {
      assert.strictEqual(
        toldOf(word),
        `cannot connect to the database of DATABASE_URL: ${word}; ` +
          "name the authority that signed it: sslrootcert=/path/ca.crt in DATABASE_URL"
      )
    }
    const elsewhere = "Hostname/IP does not match certificate's altnames"
    assert.strictEqual(toldOf(elsewhere), `cannot connect to the database of DATABASE_URL: ${elsewhere}`)
  })

  it("says how to ask for TLS, where the database lets nobody in without", () => {
    const word = "no pg_hba.conf entry for host \"10.0.0.7\", user \"app\", database \"app\", no encryption"
    assert.include(toldOf(word), `${word}; it wants TLS: add sslmode=require to DATABASE_URL`)
    const encrypted = word.replace("no encryption", "SSL encryption")
    assert.strictEqual(toldOf(encrypted), `cannot connect to the database of DATABASE_URL: ${encrypted}`)
  })

  it("says where to name the role, where nobody has: only another setting helps", () => {
    for (const word of ["No username configured", "no PostgreSQL user name specified in startup packet"]) {
      assert.include(toldOf(word), `${word}; name the role in DATABASE_URL`)
      assert.strictEqual(Runtime.getErrorExitCode(new CannotConnect({ cause: new Error(word) })), 78)
    }
    assert.strictEqual(Runtime.getErrorExitCode(new CannotConnect({ cause: new Error("connection refused") })), 1)
  })

  it("is tried in vain where the URL has a port or a time that is none", () => {
    for (
      const word of [
        "Invalid port in URL authority: \"0\"",
        "Invalid port in URL port parameter: \"x\"",
        "Invalid connect_timeout in URL: \"soon\""
      ]
    ) {
      assert.strictEqual(toldOf(word), `cannot connect to the database of DATABASE_URL: ${word}`)
      assert.strictEqual(Runtime.getErrorExitCode(new CannotConnect({ cause: new Error(word) })), 78)
    }
  })

  it("says which versions will do, where the database is too old", () => {
    // Postgres 13.
    const word = "unrecognized configuration parameter \"idle_session_timeout\""
    assert.include(toldOf(word), `${word}; Tidings needs Postgres 14 or newer`)
  })

  it("says how many sessions a node takes, where the database has no more", () => {
    const words = [
      "too many connections for role \"app\"",
      "sorry, too many clients already",
      // Of a pooler in session mode that is too small.
      "it lent no session within 3 s"
    ]
    for (const word of words) {
      assert.include(toldOf(word), `${word}; a node takes up to 14 sessions, 10 with TIDINGS_WORKERS=0`)
    }
  })

  it("says what to do where transactions begin read-only", () => {
    const words = "cannot execute CREATE TABLE in a read-only transaction"
    const cause = Object.assign(new Error(words), { code: "25006" })
    assert.strictEqual(
      sentence(new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause }) })),
      `the database did not do what a start needs: ${words}; its transactions begin read-only: ` +
        "set default_transaction_read_only = off for that database and role, or make room where its host has set that for want of it"
    )
  })

  it("says which setting bounds the locks of all transactions", () => {
    const cause = Object.assign(new Error("out of shared memory"), { code: "53200" })
    assert.strictEqual(
      sentence(new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause }) })),
      "the database did not do what a start needs: out of shared memory; " +
        "raise max_locks_per_transaction of that server, or start again when it has less to do"
    )
  })

  it("says who needs a privilege that is not there", () => {
    const cause = Object.assign(new Error("permission denied for schema public"), { code: "42501" })
    assert.strictEqual(
      sentence(new SqlError.SqlError({ reason: new SqlError.AuthorizationError({ cause }) })),
      "the database did not do what a start needs: permission denied for schema public; grant that to the role of DATABASE_URL"
    )
    const failed = new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause: new Error("no room") }) })
    assert.strictEqual(
      sentence(failed, "this command"),
      "the database did not do what this command needs: no room"
    )
  })
})
