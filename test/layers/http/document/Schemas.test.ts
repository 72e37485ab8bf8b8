import * as Examples from "#layers/http/document/Examples.ts"
import { isObject, type Value, valueAt } from "#schemas/Json.ts"
import { message, serve } from "#test/layers/http/Server.ts"
import { Validator } from "@seriousme/openapi-schema-validator"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"

const served = Effect.gen(function*() {
  const { call } = yield* serve
  const document: Schema.JsonObject = JSON.parse((yield* call("GET", "/openapi.json", { key: null })).text)
  return { call, document }
})

/** Every object in a document, however deep. */
const objectsIn = (value: Value): ReadonlyArray<Schema.JsonObject> =>
  typeof value !== "object" || value === null
    ? []
    : [...(isObject(value) ? [value] : []), ...Object.values(value).flatMap(objectsIn)]

const keysOf = (value: Value): ReadonlyArray<string> => isObject(value) ? Object.keys(value) : []

/** The schema of what a call answers, or takes. */
const answered = (document: Schema.JsonObject, method: string, path: string, status = "200"): Value =>
  valueAt(document, ["paths", path, method, "responses", status, "content", "application/json", "schema"])

const queried = (document: Schema.JsonObject, path: string): Value =>
  valueAt(document, ["paths", path, "get", "parameters"])

describe("Schemas of the document", () => {
  it.effect("no object refuses keys that the server ignores", () =>
    Effect.gen(function*() {
      const { call, document } = yield* served
      assert.isEmpty(objectsIn(document).filter(({ additionalProperties }) => additionalProperties === false))
      assert.isTrue(valueAt(document, ["components", "schemas", "Recipient", "additionalProperties"]))
      const body = { message: { to: { user_id: "ada" }, content: { title: "a", body: "b", x: 1 }, y: 2 }, z: 3 }
      assert.strictEqual((yield* call("POST", "/send", { body })).status, 202)
    }))

  it.effect("it is valid, and what is named is one component with a name of its own", () =>
    Effect.gen(function*() {
      const { document } = yield* served
      const { errors, valid } = yield* Effect.promise(() => new Validator().validate(structuredClone(document)))
      assert.isTrue(valid, JSON.stringify(errors))
      const names = keysOf(valueAt(document, ["components", "schemas"]))
      assert.isEmpty(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name) || name.endsWith("Encoded")))
      const used = objectsIn(document).flatMap(({ $ref }) => typeof $ref === "string" ? [$ref] : [])
      assert.sameMembers([...new Set(used)], names.map((name) => `#/components/schemas/${name}`))
      // Some generators name their classes by titles: one of two schemas with the same one would be left out.
      const titleOf = (name: string) => valueAt(document, ["components", "schemas", name, "title"])
      assert.isEmpty(names.filter((name) => (titleOf(name) ?? name) !== name))
      const message = { $ref: "#/components/schemas/Message" }
      assert.deepStrictEqual(answered(document, "get", "/messages/{message_id}"), message)
      assert.deepStrictEqual(answered(document, "post", "/messages/{message_id}/cancel"), message)
      assert.deepStrictEqual(answered(document, "post", "/brands"), { $ref: "#/components/schemas/Brand" })
    }))

  it.effect("names are no words of refusals, which say what was expected", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const told = Effect.fnUntraced(function*(to: unknown, more: object) {
        return (yield* call("POST", "/send", { body: message(to, more) })).text
      })
      const refusal = (text: string) => JSON.stringify({ message: text, type: "invalid_request_error" })
      const routing = { method: "SINGLE", channels: [] }
      assert.strictEqual(yield* told(null, {}), refusal("message.to: Expected array | object"))
      assert.strictEqual(yield* told([7], {}), refusal("message.to[0]: Expected object"))
      const expected = `message.routing.method: Expected "all" | "single"`
      assert.strictEqual(yield* told({ user_id: "ada" }, { routing }), refusal(expected))
    }))

  it.effect("epoch ms need 64 bits, and no alternative is said twice", () =>
    Effect.gen(function*() {
      const { document } = yield* served
      const time = valueAt(document, ["components", "schemas", "Message", "properties", "enqueued"])
      assert.deepInclude(time, { type: "integer", format: "int64" })
      const twice = objectsIn(document).filter(({ anyOf }) =>
        Array.isArray(anyOf) && new Set(anyOf.map((one) => JSON.stringify(one))).size < anyOf.length
      )
      assert.isEmpty(twice)
    }))

  it.effect("a parameter of a query is what its text stands for, and may be empty", () =>
    Effect.gen(function*() {
      const { document } = yield* served
      const schemas = objectsIn(queried(document, "/messages")).flatMap(({ allowEmptyValue, name, schema }) =>
        allowEmptyValue === true ? [[name, schema]] : []
      )
      assert.deepInclude(schemas, ["archived", { type: "boolean" }])
      assert.deepInclude(schemas, ["limit", { type: "integer", format: "int32" }])
      assert.deepInclude(schemas, ["recipient", { type: "string" }])
      assert.deepInclude(schemas, ["status", { type: "array", items: { type: "string" } }])
    }))

  // The doubles of these tests know no vendor.
  const examples = Object.entries(Examples.bodies).filter(([name]) => name !== "post /providers")
  it.effect.each(examples)(
    "the example of %s is taken",
    ([name, body]) =>
      Effect.gen(function*() {
        const { call, document } = yield* served
        const [method = "", path = ""] = name.split(" ")
        const shown = valueAt(document, [
          "paths",
          path,
          method,
          "requestBody",
          "content",
          "application/json",
          "example"
        ])
        assert.deepStrictEqual(shown, body)
        const { status, text } = yield* call(method.toUpperCase(), path.replaceAll(/[{}]/g, ""), { body })
        assert.isTrue(status < 300 || status === 404, text)
      })
  )
})
