import type { Endpoint } from "#test/fuzz/Endpoints.ts"
import { broken, mutate, pick } from "#test/fuzz/Mutations.ts"
import { Arbitrary, Effect, Random, Schema } from "effect"

/** A request as it goes over the wire. */
export interface Request {
  readonly endpoint: Endpoint
  /** With query, percent-encoded. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const samples = 60

/** Values of a schema as JSON; a schema that nothing can be made of has none, and then only odd bodies are sent. */
const sampled = (schema: Schema.Top, seed: number): Effect.Effect<ReadonlyArray<Schema.Json>> =>
  Effect.gen(function*() {
    const codec = Schema.toCodecJson(schema)
    const encode = Schema.encodeUnknownEffect(codec as unknown as Schema.Codec<unknown, Schema.Json>)
    const values = yield* Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: samples, size: 4, seed }).pipe(
      Effect.orElseSucceed((): ReadonlyArray<unknown> => [])
    )
    const encoded = yield* Effect.forEach(values, (value) =>
      // A value that the schema allows and cannot be written is no request.
      Effect.option(Effect.catchDefect(encode(value), Effect.fail)))
    return encoded.flatMap((one) => one._tag === "Some" ? [one.value] : [])
  })

const strange = [
  "a/b",
  "a@b.example",
  "with space",
  "ünï¢ødé",
  "..",
  "%",
  "a".repeat(600),
  "\u0000",
  "__proto__",
  "*",
  "1"
]

/** Pieces of a path and of a query as a client of bad manners writes them; they go over the wire as they are. */
const crooked = [
  "%",
  "%zz",
  "%E0%A4%A",
  "%ED%A0%80",
  "%C0%80",
  "%2e%2e",
  "%2F",
  "%0d%0a",
  "a;b",
  "a|b",
  "%EF%BB%BF",
  "a".repeat(3_000)
]

const contentTypes = [
  "text/plain",
  "application/xml",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-16",
  "application/problem+json",
  "APPLICATION/JSON",
  "application/json, application/json",
  "*/*",
  ""
]

/** Makes requests to one endpoint. `ids` holds what earlier replies named, so that some requests find something. */
export const maker = Effect.fnUntraced(function*(endpoint: Endpoint, seed: number, ids: ReadonlyArray<string>) {
  const payloads = (yield* Effect.forEach(endpoint.payloads, (schema) => sampled(schema, seed))).flat()
  const queries = endpoint.query === undefined ? [] : yield* sampled(endpoint.query, seed)

  const parameter = Effect.gen(function*() {
    if ((yield* Random.next) < 0.03) return yield* pick(crooked)
    const known = (yield* Random.next) < 0.75 && ids.length > 0
    // What a reply shows under such a name may be a caller's own text, with half a character that no path can have.
    return encodeURIComponent((yield* pick(known ? ids : strange)).toWellFormed())
  })

  const query = Effect.gen(function*() {
    if (queries.length === 0 || (yield* Random.next) < 0.4) return ""
    const chosen = yield* pick(queries)
    const value = (yield* Random.next) < 0.3 ? yield* mutate(chosen) : chosen
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : []
    const text = entries.map(([name, one]) =>
      `${encodeURIComponent(name.toWellFormed())}=${
        encodeURIComponent(
          // Longer ones end at HTTP, which no endpoint documents.
          (typeof one === "string" ? one : JSON.stringify(one)).slice(0, 1_000).toWellFormed()
        )
      }`
    )
    if (text.length === 0) return ""
    const chance = yield* Random.next
    if (chance < 0.9) return `?${text.join("&")}`
    const [name = ""] = (yield* pick(text)).split("=")
    const more = yield* pick(crooked)
    return `?${text.join("&")}&${chance < 0.95 ? name : `${name}${yield* pick(["[]", "[a]", "%5B0%5D"])}`}=${more}&&`
  })

  const body = Effect.gen(function*() {
    const chance = yield* Random.next
    if (payloads.length === 0) return chance < 0.9 ? undefined : JSON.stringify({ any: "thing" })
    const valid = yield* pick(payloads)
    if (chance < 0.4) return JSON.stringify(valid)
    if (chance < 0.9) {
      const once = yield* mutate(valid)
      return JSON.stringify(chance < 0.7 ? once : yield* mutate(once))
    }
    return yield* broken(JSON.stringify(valid))
  })

  return Effect.gen(function*(): Effect.fn.Return<Request> {
    const parts = yield* Effect.forEach(
      endpoint.path.split("/"),
      (part) => part.startsWith(":") ? parameter : Effect.succeed(part)
    )
    const text = yield* body
    const chance = yield* Random.next
    const contentType = chance < 0.02 ? yield* pick(contentTypes) : "application/json"
    return {
      endpoint,
      path: `${parts.join("/")}${yield* query}`,
      headers: {
        ...(text === undefined ? {} : { "content-type": contentType }),
        ...(payloads.length > 0 && text !== undefined && chance > 0.02 && chance < 0.025
          ? { "content-encoding": "gzip" }
          : {}),
        ...(chance > 0.9 ? { "idempotency-key": `key-${Math.floor(chance * 1_000)}` } : {})
      },
      body: text
    }
  })
})
