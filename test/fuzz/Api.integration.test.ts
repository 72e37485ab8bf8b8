import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import { endpoints } from "#test/fuzz/Endpoints.ts"
import { pick } from "#test/fuzz/Mutations.ts"
import * as Replies from "#test/fuzz/Replies.ts"
import * as Requests from "#test/fuzz/Requests.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { exchange } from "#test/support/Exchange.ts"
import { untilServed } from "#test/support/Later.ts"
import * as Served from "#test/support/Served.ts"
import { Validator } from "@seriousme/openapi-schema-validator"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Redacted } from "effect"
import { Agent } from "node:http"

const secret = "fuzzfuzzfuzzfuzzfuzzfuzzfuzzfuzzfuzzfuzz"
const apiKey = `pk_prod_${secret}`

/** FUZZ_REQUESTS and FUZZ_SEED choose another run; the seed of a failing one is in its message. */
const wanted = Number(process.env["FUZZ_REQUESTS"] ?? "10000")
const seed = Number(process.env["FUZZ_SEED"] ?? "1")
const inFlight = 24

/** The real server on a database of its own. */
const server = Effect.gen(function*() {
  const database = Redacted.value(yield* FreshDatabase.url)
  const directory = yield* Directories.empty
  const [port, clusterPort] = yield* Effect.promise(() => Promise.all([Ports.free(), Ports.free()]))
  yield* Served.at(port, {
    DATABASE_URL: database,
    TIDINGS_CLUSTER_PORT: String(clusterPort),
    TIDINGS_DATA_DIR: directory,
    TIDINGS_BOOTSTRAP_SECRET: secret
  })
  return port
})

const caller = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  return (method: string, path: string, headers: Readonly<Record<string, string>>, body: string | undefined) =>
    Effect.promise(() =>
      exchange(agent, { port, method, path, headers: { authorization: `Bearer ${apiKey}`, ...headers }, body })
        .catch((error) => ({ status: 0, body: String(error) }))
    )
}

/** Ids that a reply names, for later requests to find. */
const idsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"(?:id|requestId|messageId|user_id|key)":"((?:[^"\\]|\\.){1,200})"/g)].map((match) =>
    JSON.parse(`"${match[1]}"`) as string
  )

const keptIds = 400

describe("the API against requests of its own making", () => {
  it.live(
    `${wanted} valid, near-valid and invalid requests: no 5xx, every error {message, type}, replies as documented`,
    () =>
      Effect.gen(function*() {
        const port = yield* server
        const call = caller(port)
        const { body: text } = yield* call("GET", "/openapi.json", {}, undefined)
        const document = JSON.parse(text)
        const valid = yield* Effect.promise(() => new Validator().validate(structuredClone(document)))
        assert.isTrue(valid.valid, JSON.stringify(valid.errors))
        const breach = Replies.checker(document)

        const ids: Array<string> = []
        const makers = yield* Effect.forEach(
          endpoints,
          (endpoint, index) => Requests.maker(endpoint, seed + index, ids)
        )
        const statuses = new Map<number, number>()
        const faults = new Map<string, string>()
        const calls = new Map<string, { readonly asked: number; readonly unserved: number }>()

        const one = Effect.gen(function*() {
          const made = yield* (yield* pick(makers))
          const { body, endpoint, headers, path } = made
          const name = `${endpoint.method} ${endpoint.path}`
          const answer = yield* untilServed(
            Effect.tap(call(endpoint.method, path, headers, body), ({ status }) =>
              Effect.sync(() => {
                const { asked, unserved } = calls.get(name) ?? { asked: 0, unserved: 0 }
                calls.set(name, { asked: asked + 1, unserved: unserved + (status === 503 ? 1 : 0) })
              }))
          )
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          for (const id of idsIn(answer.body).slice(0, 3)) {
            if (ids.length < keptIds) ids.push(id)
            else ids[yield* Random.nextIntBetween(0, keptIds - 1)] = id
          }
          const fault = answer.status === 0 || answer.status >= 500
            ? `${answer.status}`
            : answer.status >= 400 && !Replies.isError(answer.body)
            ? `${answer.status} without message and type`
            : breach(endpoint, answer.status, answer.body)
          if (fault !== undefined) {
            faults.set(
              `${name}: ${fault}`,
              `${path} ${body?.slice(0, 600)} → ${answer.body.slice(0, 600)}`
            )
          }
        })
        yield* Effect.forEach(Array.from({ length: wanted }), () => one, { concurrency: inFlight, discard: true })

        // A busy machine answers any endpoint 503 now and then; one that does so every other time has a fault that repeating hides.
        const unserved = [...calls].filter(([, { asked, unserved }]) => asked >= 8 && unserved > asked / 3)
        assert.deepStrictEqual(unserved, [], "endpoints that are often 503")

        const told = [...faults].map(([fault, example]) => `${fault}\n    ${example}`).join("\n")
        assert.strictEqual(faults.size, 0, `FUZZ_SEED=${seed}\n${told}`)
        const accepted = [...statuses].reduce((sum, [status, count]) => status < 300 ? sum + count : sum, 0)
        assert.isAbove(accepted, wanted / 10, "requests that do something")
      }).pipe(Random.withSeed(seed)),
    300_000
  )
})
