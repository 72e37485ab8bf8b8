import * as JsonKeys from "#layers/JsonKeys.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import { ready, serve } from "#test/support/MainProcess.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const parse = JsonKeys.mended(JSON.parse)

/** Keys of which one is written like the beginning of another. */
const keys = ["\\", "\n", "\"", "\\n", "a\\", "a\n", "a\"", "\u0001", "\u00e9", "\ud800", "a", "1", "", "__proto__"]

const Members = Schema.Array(
  Schema.Tuple([Schema.Literals(keys), Schema.Literals([1, true, "\\\":", "a\n", "\\"])])
).check(Schema.isMaxLength(3))

/** The same JSON as a writer makes it who escapes whatever is not ASCII. */
const inAscii = (text: string): string =>
  text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

describe("JSON.parse", () => {
  it.effect.prop(
    "P10: has the keys that the text has, whatever was parsed before",
    { outer: Members, inner: Schema.Array(Members).check(Schema.isMaxLength(3)) },
    ({ inner, outer }) =>
      Effect.sync(() => {
        const within = inner.map((members) => Object.fromEntries<unknown>(members))
        for (const value of [Object.fromEntries(outer), within, { within, ...Object.fromEntries(outer) }]) {
          const text = JSON.stringify(value)
          for (const written of [text, inAscii(text), JSON.stringify(value, undefined, 2)]) {
            assert.strictEqual(JSON.stringify(parse(written)), text)
          }
        }
      }),
    { arbitrary: { runs: 300 } }
  )

  it("takes the last member of a name at the first one's place, however they are written", () => {
    assert.deepStrictEqual(
      Object.entries(parse(String.raw`{"a":1,"\u0061":2,"b":0,"a":3,"c":{"\u0061":4,"a":5}}`)),
      [["a", 3], ["b", 0], ["c", { a: 5 }]]
    )
  })

  it("refuses what is no JSON in the runtime's own words, and heeds a reviver", () => {
    for (const text of ["{\"\\n\":", "{\"\\q\":1}", "\"\\", "{\"\\n\":1}}"]) {
      assert.throws(() => JSON.parse(text), SyntaxError)
      assert.throws(() => parse(text), SyntaxError)
    }
    assert.deepStrictEqual(parse("{\"a\":[1]}", (_, value) => typeof value === "number" ? value + 1 : value), {
      a: [2]
    })
  })

  it("is mended where it is at fault, and only there", () => {
    assert.isFalse(JsonKeys.isAtFault(parse))
  })

  it.live(
    "P10: a server keeps one caller's keys as they came, whatever another has sent",
    () =>
      Effect.gen(function*() {
        const secret = "jsonkeysjsonkeysjsonkeysjsonkeysjsonkeys"
        const directory = yield* Directories.withDatabase
        const port = yield* Effect.promise(() => Ports.free())
        const server = yield* Effect.acquireRelease(
          Effect.sync(() => serve("node", port, { TIDINGS_DATA_DIR: directory, TIDINGS_BOOTSTRAP_SECRET: secret })),
          (server) => Effect.promise(server.kill)
        )
        yield* Effect.promise(() => ready(server, port))
        const call = (path: string, body?: string) =>
          Effect.promise(async () => {
            const response = await fetch(`http://127.0.0.1:${port}${path}`, {
              headers: { authorization: `Bearer pk_prod_${secret}`, "content-type": "application/json" },
              ...body === undefined ? {} : { method: "POST", body }
            })
            assert.strictEqual(response.status, 200)
            return response.text()
          })
        yield* call("/profiles/ada", String.raw`{"profile":{"first":[],"\\":0}}`)
        yield* call("/profiles/bob", String.raw`{"profile":{"first":0,"\n":0}}`)
        assert.include(yield* call("/profiles/bob"), String.raw`{"first":0,"\n":0}`)
      }),
    120_000
  )
})
