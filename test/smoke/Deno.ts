import * as Ports from "#test/support/Ports.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { type Running, ready, run, serve } from "#test/support/MainProcess.ts"
import { missing } from "#test/support/Services.ts"
import { Effect, Redacted } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { setTimeout as sleep } from "node:timers/promises"

/** The product on Deno, from outside: `deno run -A test/smoke/Deno.ts`. One line per check, then `N passed, N failed`. */

const counted = { passed: 0, failed: 0 }

const check = (name: string, holds: boolean, detail: unknown = ""): void => {
  counted[holds ? "passed" : "failed"]++
  console.log(
    `${holds ? "ok  " : "FAIL"} ${name}${
      holds ? "" : `: ${typeof detail === "string" ? detail : JSON.stringify(detail)}`
    }`
  )
}

/** The API of a server, with a key. */
const api = (port: number, key: string) => async (path: string, body?: unknown, idempotencyKey?: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, body: await response.json() }
}

const types = (history: { readonly results?: ReadonlyArray<{ readonly type: string }> }): ReadonlyArray<string> =>
  (history.results ?? []).map(({ type }) => type)

/** What the whole run does, from the first start to the last stop. */
const smoke = async (storage: string, environment: Readonly<Record<string, string>>): Promise<void> => {
  const port = await Ports.free()
  const name = (text: string): string => `${storage}: ${text}`
  const servers: Array<Running> = []
  const start = async (): Promise<Running> => {
    const server = serve("deno", port, environment)
    servers.push(server)
    const ms = await ready(server, port)
    check(name(`ready (${Math.round(ms)} ms)`), true)
    return server
  }
  try {
    const first = await start()
    const key = /pk_prod_[A-Za-z0-9_-]+/.exec(first.stdout())?.[0]
    check(name("prints its keys on the first start"), key !== undefined, first.stdout())
    if (key === undefined) return
    check(name("names the commands of Deno"), first.stdout().includes("deno run -A layers/cli/Tidings.ts trace "))
    const ask = api(port, key)

    const message = {
      to: { user_id: "ada" },
      content: { title: "Hello {{name}}", body: "Your first message." },
      data: { name: "Ada" },
      routing: { method: "single", channels: ["inbox"] }
    }
    const sent = await ask("/send", { message }, "smoke-1")
    check(name("accepts a message"), sent.status === 202 && typeof sent.body.requestId === "string", sent)
    const id: string = sent.body.requestId

    const status = async () => (await ask(`/messages/${id}`)).body.status
    for (let asked = 0; asked < 200 && await status() !== "SENT"; asked++) await sleep(50)
    check(name("sends it"), await status() === "SENT", await status())

    const replay = await ask("/send", { message }, "smoke-1")
    check(
      name("answers a repeated key with the first answer"),
      replay.status === 202 && replay.body.requestId === id,
      replay
    )

    const seen = async () => {
      const history = await ask(`/messages/${id}/history`)
      const inbox = await ask("/users/ada/inbox")
      return {
        types: types(history.body),
        titles: (inbox.body.results ?? []).map((item: { title: string }) => item.title)
      }
    }
    const before = await seen()
    check(name("keeps its timeline"), before.types[0] === "ENQUEUED" && before.types.at(-1) === "SENT", before)
    check(name("shows it once in the inbox"), before.titles.length === 1 && before.titles[0] === "Hello Ada", before)

    const trace = run("deno", "layers/cli/Tidings.ts", {
      TIDINGS_URL: `http://127.0.0.1:${port}`,
      TIDINGS_API_KEY: key
    }, ["trace", id])
    const traced = await trace.ended
    check(
      name("`tidings trace` prints the timeline"),
      traced.code === 0 && trace.stdout().startsWith(`SENT  ${id}`),
      trace.stderr()
    )

    const profile = async (user: string, text?: string) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const given = text === undefined ? { headers } : { method: "POST", headers, body: text }
      return (await fetch(`http://127.0.0.1:${port}/profiles/${user}`, given)).text()
    }
    await profile("grace", String.raw`{"profile":{"first":[],"\\":0}}`)
    await profile("edsger", String.raw`{"profile":{"first":0,"\n":0}}`)
    const kept = await profile("edsger")
    check(name("keeps a caller's keys as they came"), kept.includes(String.raw`{"first":0,"\n":0}`), kept)

    const later = await ask("/send", {
      message: { ...message, delay: { until: new Date(Date.now() + 2_000).toISOString() } }
    })
    check(name("accepts a delayed message"), later.status === 202, later)
    await first.kill()

    const second = await start()
    check(name("does not print its keys again"), !second.stdout().includes("pk_prod_"), second.stdout())
    const after = await seen()
    check(name("has everything after kill -9"), JSON.stringify(after.types) === JSON.stringify(before.types), after)
    const again = await ask("/send", { message }, "smoke-1")
    check(name("remembers the key after kill -9"), again.status === 202 && again.body.requestId === id, again)
    const delayed = async () => (await ask(`/messages/${later.body.requestId}`)).body.status
    for (let asked = 0; asked < 400 && await delayed() !== "SENT"; asked++) await sleep(50)
    check(name("sends after kill -9 what was due later"), await delayed() === "SENT", await delayed())

    const began = performance.now()
    second.signal("SIGTERM")
    const end = await Promise.race([second.ended, sleep(25_000, undefined, { ref: false })])
    check(
      name(`stops on SIGTERM with exit code 0 (${Math.round(performance.now() - began)} ms)`),
      end?.code === 0,
      end ?? "still running"
    )
  } catch (error) {
    check(name("runs to the end"), false, String(error))
  } finally {
    for (const server of servers) await server.kill()
  }
}

const directory = await mkdtemp(join(tmpdir(), "tidings-smoke-"))
try {
  await smoke("embedded", { TIDINGS_DATA_DIR: join(directory, "embedded") })
  const absent = missing.find((service) => service.startsWith("Postgres"))
  if (absent === undefined) {
    const onPostgres = (url: Redacted.Redacted) =>
      Effect.promise(() =>
        smoke("Postgres", { DATABASE_URL: Redacted.value(url), TIDINGS_DATA_DIR: join(directory, "postgres") })
      )
    await Effect.runPromise(Effect.scoped(Effect.flatMap(FreshDatabase.url, onPostgres)))
  } else if (process.env["CI_REQUIRE_SERVICES"] === "1") {
    check("Postgres: reachable", false, absent)
  } else {
    console.log(`skip Postgres: not reachable: ${absent}`)
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}
console.log(`${counted.passed} passed, ${counted.failed} failed`)
process.exit(counted.failed === 0 ? 0 : 1)
