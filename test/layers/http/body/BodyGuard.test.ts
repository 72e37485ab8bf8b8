import { maxBodyBytes } from "#layers/http/body/BodyGuard.ts"
import { abandon, chunked, exchange, head, post, refusal, serve } from "#test/layers/http/body/Wire.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"

const json = { "Content-Type": "application/json" }
const compressed = refusal("Content-Encoding must be identity: send the request body uncompressed")
const transferred = refusal("Transfer-Encoding must be chunked: send the request body uncompressed")
const tooLarge = refusal("Request body exceeds 6 MB")
const stringOf = (bytes: number) => `"${"a".repeat(bytes - 2)}"`
const sizes = [
  { bytes: maxBodyBytes - 1, status: 200 },
  { bytes: maxBodyBytes, status: 200 },
  { bytes: maxBodyBytes + 1, status: 413 }
]

/** What a server takes from a socket at once, and what the coding of a body of 6 MB adds in chunks of 60 kB. */
const oneRead = 64 * 1024
const coding = 2 * 1024

describe("BodyGuard: size", () => {
  it.effect.each(sizes)("$bytes bytes, declared: $status", ({ bytes, status }) =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const answer = yield* post(port, "/send", stringOf(bytes))
      assert.strictEqual(answer.status, status)
      assert.strictEqual(answer.body, status === 413 ? tooLarge : JSON.stringify({ bytes, echo: null }))
    }))

  it.effect.each(sizes)("$bytes bytes, chunked: $status", ({ bytes, status }) =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const answer = yield* exchange(port, [
        head("/send", { ...json, "Transfer-Encoding": "chunked" }),
        ...chunked(stringOf(bytes), 60_000)
      ])
      assert.strictEqual(answer.status, status)
      assert.strictEqual(answer.body, status === 413 ? tooLarge : JSON.stringify({ bytes, echo: null }))
    }))

  it.effect("a declared length over the limit is refused before its body, and no more is read than came with the headers", () =>
    Effect.gen(function*() {
      const { port, sockets } = yield* serve
      const start = head("/send", { ...json, "Content-Length": 100 * maxBodyBytes })
      assert.strictEqual((yield* exchange(port, [start])).status, 413)
      const answer = yield* exchange(port, [start, ...Array.from({ length: 400 }, () => "a".repeat(65_536))])
      assert.strictEqual(answer.body, tooLarge)
      assert.include(answer.headers, "connection: close")
      assert.isAtMost(sockets[1]?.bytesRead ?? Infinity, oneRead)
    }))

  it.effect("an endless chunked body is read to the limit, and no more than came with its last byte", () =>
    Effect.gen(function*() {
      const { port, sockets } = yield* serve
      const answer = yield* exchange(port, [
        head("/send", { ...json, "Transfer-Encoding": "chunked" }),
        ...chunked("a".repeat(4 * maxBodyBytes), 60_000)
      ])
      assert.strictEqual(answer.body, tooLarge)
      assert.include(answer.headers, "connection: close")
      assert.isAtMost(sockets[0]?.bytesRead ?? Infinity, maxBodyBytes + coding + oneRead)
    }))

  it.effect("many tiny chunks make one body, in few buffers", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const allocate = vi.spyOn(Buffer, "allocUnsafeSlow")
      const answer = yield* exchange(port, [
        head("/send", { ...json, "Transfer-Encoding": "chunked" }),
        ...chunked(stringOf(20_000), 1)
      ])
      const allocations = allocate.mock.calls.length
      allocate.mockRestore()
      assert.isAtMost(allocations, 20)
      assert.strictEqual(answer.body, JSON.stringify({ bytes: 20_000, echo: null }))
    }))

  it.effect("bytes after the declared length are not part of the body", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const first = head("/send", { ...json, "Content-Length": 2 }).replace("Connection: close\r\n", "") + "[]"
      const next = head("/send", { ...json, "Content-Length": 4 }) + "[12]"
      const answers = yield* exchange(port, [first + next])
      assert.include(answers.body, `{"bytes":2,"echo":[]}`)
      assert.include(answers.body, `{"bytes":4,"echo":[12]}`)
      const garbage = yield* exchange(port, [first + "a".repeat(100)])
      assert.strictEqual(garbage.body, `{"bytes":2,"echo":[]}`)
    }))

  it.effect("a sender that leaves early does not hurt the next one", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      yield* abandon(port, head("/send", { ...json, "Content-Length": 100 }) + "[1,2")
      yield* abandon(port, head("/send", { ...json, "Transfer-Encoding": "chunked" }) + "ff\r\n[1,2")
      assert.strictEqual((yield* post(port, "/send", "[]")).status, 200)
    }))

  it.effect("a sender that waits for 100 Continue is asked for its body, unless that is refused", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const expect = { ...json, Expect: "100-continue" }
      const asked = yield* exchange(port, [head("/send", { ...expect, "Content-Length": 2 }), "[]"])
      assert.strictEqual(asked.status, 100)
      assert.include(asked.body, `{"bytes":2,"echo":[]}`)
      assert.strictEqual((yield* exchange(port, [head("/send", { ...expect, "Content-Length": 7e6 })])).status, 413)
    }))
})

describe("BodyGuard: form", () => {
  it.effect("only unencoded bodies are taken", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      for (const coding of ["gzip", "br", "identity, gzip", "GZIP"]) {
        const answer = yield* post(port, "/send", gzipSync("[]"), { ...json, "Content-Encoding": coding })
        assert.strictEqual(answer.status, 415)
        assert.strictEqual(answer.body, compressed)
      }
      assert.strictEqual((yield* post(port, "/send", "[]", { ...json, "Content-Encoding": "Identity" })).status, 200)
      for (const coding of ["gzip, chunked", "deflate,Chunked"]) {
        const answer = yield* exchange(port, [
          head("/send", { ...json, "Transfer-Encoding": coding }),
          ...chunked("[]", 2)
        ])
        assert.strictEqual(answer.status, 415)
        assert.strictEqual(answer.body, transferred)
      }
    }))

  it.effect("an empty content type is none", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      for (const body of ["[]", ""]) {
        const empty = yield* post(port, "/send", body, { "Content-Type": "" })
        assert.deepStrictEqual(empty, yield* post(port, "/send", body, {}))
      }
      assert.strictEqual((yield* post(port, "/send", "[]", { "Content-Type": "" })).status, 200)
    }))

  it.effect("bytes that are not UTF-8 are refused, escaped lone surrogates are not", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      for (const bytes of ["22ff22", "22eda08022", "22c0af22", "22e28222"]) {
        const answer = yield* post(port, "/send", Buffer.from(bytes, "hex"))
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(answer.body, refusal("Body is not valid UTF-8"))
      }
      const text = yield* post(port, "/note", Uint8Array.of(0xff), { "Content-Type": "text/plain" })
      assert.strictEqual(text.status, 400)
      const lone = yield* post(port, "/send", `"\\ud800"`)
      assert.strictEqual(lone.status, 200)
      assert.include(lone.body, `"\\ud800"`)
    }))

  it.effect("JSON nests 64 deep and no deeper", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const arrays = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
      const objects = (depth: number) => `{"a":`.repeat(depth) + "1" + "}".repeat(depth)
      const mixed = (depth: number) => `[{"a":`.repeat(depth / 2) + arrays(depth % 2) + "}]".repeat(depth / 2)
      for (const nested of [arrays, objects, mixed]) {
        const fits = nested(64).replace(":}", ":1}")
        assert.strictEqual((yield* post(port, "/send", fits)).status, 200)
        const answer = yield* post(port, "/send", nested(65))
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(answer.body, refusal("Body nests deeper than 64 levels"))
      }
      const quoted = JSON.stringify({ a: "\\\"" + arrays(200) + "\\" })
      assert.strictEqual((yield* post(port, "/send", quoted)).status, 200)
    }))

  it.effect("6 MB of brackets are refused without a parser", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const parse = vi.spyOn(JSON, "parse")
      const answer = yield* post(port, "/send", "[".repeat(maxBodyBytes))
      const calls = parse.mock.calls.length
      parse.mockRestore()
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(calls, 0)
    }))

  it.effect("JSON holds 200,000 values and no more, whatever their kind, and the refusal needs no parser", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const elements = (values: number) => `[${"1,".repeat(values - 2)}1]`
      const members = (values: number) =>
        `{${Array.from({ length: values - 2 }, (_, n) => `"${n}":""`).join(",")},"to":",,"}`
      for (const body of [elements, members]) {
        assert.strictEqual((yield* post(port, "/send", body(200_000))).status, 200)
        const parse = vi.spyOn(JSON, "parse")
        const answer = yield* post(port, "/send", body(200_001))
        const calls = parse.mock.calls.length
        parse.mockRestore()
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(answer.body, refusal("Body holds more than 200000 values: split it into several requests"))
        assert.strictEqual(calls, 0)
      }
    }))

  it.effect("a good body is parsed once", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const parse = vi.spyOn(JSON, "parse")
      yield* post(port, "/send", `{"a":1}`)
      const calls = parse.mock.calls.length
      parse.mockRestore()
      assert.strictEqual(calls, 1)
    }))

  it.effect("malformed JSON is 400 and names the place", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const message = (body: string) => Effect.map(post(port, "/send", body), (answer) => [answer.status, answer.body])
      assert.deepStrictEqual(yield* message(`{"a": [1, 2, 3,]}`), [
        400,
        refusal("Body is not valid JSON: Unexpected token ']' at line 1, column 16")
      ])
      assert.deepStrictEqual(yield* message("{\n  \"a\": \"b\",\n  c: 1\n}"), [
        400,
        refusal("Body is not valid JSON: Unexpected token 'c' at line 3, column 3")
      ])
      assert.deepStrictEqual(yield* message(`{"a":`), [
        400,
        refusal("Body is not valid JSON: Unexpected end of input at line 1, column 6")
      ])
      const untyped = yield* post(port, "/send", "{", {})
      assert.strictEqual(untyped.body, refusal("Body is not valid JSON: Unexpected end of input at line 1, column 2"))
    }))

  it.effect("an empty JSON body is the schema's to refuse, and a well-formed one that does not fit too", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      assert.deepInclude(yield* post(port, "/record", ""), { status: 400, body: "" })
      assert.deepInclude(yield* post(port, "/record", "[]"), { status: 400, body: "" })
    }))

  it.effect("a call without body and content type passes", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      assert.strictEqual((yield* exchange(port, [head("/cancel", {})])).status, 200)
      assert.strictEqual((yield* exchange(port, [head("/cancel", { "Content-Length": 0 })])).status, 200)
    }))

  it.effect("text passes as text where text is wanted, and is 415 where JSON is", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const text = { "Content-Type": "text/plain; charset=utf-8" }
      assert.strictEqual((yield* post(port, "/note", "[[[ ünquoted", text)).body, JSON.stringify("[[[ ünquoted"))
      const answer = yield* post(port, "/send", "[]", text)
      assert.strictEqual(answer.status, 415)
      assert.strictEqual(answer.body, refusal("Content-Type text/plain is not accepted here; send application/json"))
      const unnamed = yield* post(port, "/note", "{}", {})
      assert.strictEqual(unnamed.status, 415)
      assert.strictEqual(
        unnamed.body,
        refusal("A body without a Content-Type is not accepted here; send application/json")
      )
      const empty = yield* post(port, "/send", "", text)
      assert.deepInclude(empty, { status: 415, body: answer.body })
      assert.include(answer.headers, "content-type: application/json")
    }))

  it.effect("__proto__ is data, never behaviour", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const body = `{"data":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}`
      assert.deepStrictEqual(JSON.parse((yield* post(port, "/record", body)).body), {
        own: ["__proto__", "constructor"],
        inherits: false,
        polluted: false
      })
    }))
})
