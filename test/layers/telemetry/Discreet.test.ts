import * as Discreet from "#layers/telemetry/Discreet.ts"
import * as Telemetry from "#layers/telemetry/Telemetry.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Trace from "#src/reports/Trace.ts"
import { assert, describe, it } from "@effect/vitest"
import { Cause, ConfigProvider, Effect, Exit, Layer, Logger, Option, Redacted, Result, Schema, Tracer } from "effect"
import { HttpMiddleware, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlError } from "effect/sql"

const canary = "canary"
const id = MessageId.make("1-6553f100-0123456789abcdef01234567")

const pgError = (code: string, message: string) =>
  Object.assign(new Error(message), { code, detail: `Key (recipient)=(${canary})`, where: canary })
const sqlError = (cause: unknown) =>
  new StoreUnavailable({
    cause: new SqlError.SqlError({
      reason: new SqlError.UnknownError({ cause, message: "Failed to execute statement" })
    })
  })

class Impossible extends Schema.TaggedError<Impossible>()("Impossible", { message: Schema.String }) {}

const thrown = (run: () => unknown): unknown => Result.getOrThrow(Result.flip(Result.try(run)))

const quoting: ReadonlyArray<unknown> = [
  sqlError(pgError("23505", `duplicate key ${canary}`)),
  sqlError(pgError("22P02", `invalid input syntax for type integer: "${canary}"`)),
  thrown(() => JSON.parse(`{"a": ${canary}`)),
  thrown(() => new URL(canary)),
  new HttpServerError.RouteNotFound({
    request: HttpServerRequest.fromWeb(new Request(`http://localhost/profiles/${canary}`))
  }),
  thrown(() => Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Int))({ [canary]: canary })),
  Schema.decodeUnknownExit(Schema.Record(Schema.String, Schema.Int))({ [canary]: canary }).pipe(
    Exit.findErrorOption,
    Option.getOrThrow
  ),
  new Error(canary, { cause: new TypeError(canary) }),
  new Error(`first line\n    at ${canary} (file:///x.ts:1:1)`),
  Object.assign(new Error(canary), { message: "said later" }),
  canary
]

const logged = Effect.fnUntraced(function*(log: Effect.Effect<void>) {
  const lines: Array<string> = []
  const recorder = Discreet.logger(Logger.map(Logger.formatJson, (line) => lines.push(line)))
  yield* log.pipe(Effect.provide(Logger.layer([recorder])))
  return lines.join("\n")
})

describe("Discreet", () => {
  it.effect("P9: a logged error is told by its name, code and place, without what it quotes", () =>
    Effect.gen(function*() {
      for (const error of quoting.filter((error) => typeof error === "object")) {
        for (
          const log of [
            Effect.logError("failed", error),
            Effect.logError("failed", { error }),
            Effect.logError("failed", Cause.fail(error)),
            Effect.logError("failed", Cause.die(error))
          ]
        ) {
          const line = yield* logged(log)
          assert.notInclude(line, canary)
          assert.include(line, "failed")
        }
      }
      assert.notInclude(yield* logged(Effect.logError("failed", Cause.fail(canary))), canary)
      assert.notInclude(yield* logged(Effect.logInfo("key", { key: Redacted.make(canary) })), canary)
    }))

  it.effect("a right that the database's role lacks is told in one line, without the frames of who asked", () =>
    Effect.sync(() => {
      const denied = new StoreUnavailable({
        cause: sqlError(pgError("42501", "permission denied for sequence message_seq"))
      })
      assert.deepStrictEqual(Discreet.faultOf(denied), {
        name: "StoreUnavailable",
        message: "permission denied for sequence message_seq",
        code: "42501"
      })
      for (const code of ["22003", "23505", "42P01", "54001"])
        assert.property(Discreet.faultOf(sqlError(pgError(code, "a fault of the statement"))), "at", code)
    }))

  it("of a deep stack the innermost ten frames are told", () => {
    const deep = new Error("deep")
    const frames = Array.from({ length: 200 }, (_, depth) => `at f${depth} (file:///x.ts:${depth + 1}:1)`)
    deep.stack = ["Error: deep", ...frames.map((frame) => `    ${frame}`)].join("\n")
    assert.deepStrictEqual(Discreet.faultOf(deep).at, frames.slice(0, 10))
  })

  it.effect("an operator reads why: system errors, the database's own, and ours keep their text", () =>
    Effect.gen(function*() {
      const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), {
        code: "ECONNREFUSED",
        syscall: "connect"
      })
      assert.include(yield* logged(Effect.logError("x", sqlError(refused))), "connect ECONNREFUSED 127.0.0.1:5432")
      assert.include(
        yield* logged(Effect.logError("x", sqlError(pgError("53300", "too many clients")))),
        "too many clients"
      )
      const line = yield* logged(Effect.logError("x", sqlError(pgError("23505", canary))))
      for (const part of ["StoreUnavailable", "SqlError", "23505", "Discreet.test.ts"]) assert.include(line, part)
    }))

  it.effect("what is no outage is told with its causes, each by name, code and place, wherever in a log line it is", () =>
    Effect.gen(function*() {
      const missing = sqlError(pgError("42P01", "relation x does not exist"))
      const told = [
        Effect.logError("x", missing),
        Effect.logError("x", { missing }),
        Effect.logError("x", Cause.fail(missing)),
        Effect.logError("x", Cause.die(missing))
      ]
      for (const log of told) {
        const line = yield* logged(log)
        for (const part of ["StoreUnavailable", "SqlError", "42P01", "relation x does not exist", "Discreet.test.ts"])
          assert.include(line, part)
      }
      assert.include(yield* logged(Effect.logError("x", { id, tries: 3, missing })), `{"id":"${id}","tries":3,`)
      const ours = Discreet.faultOf(new Impossible({ message: "the plan has no step" }))
      assert.strictEqual(ours.message, "the plan has no step")
      assert.include(ours.at?.[0], "Discreet.test.ts")
      assert.notProperty(ours, "cause")
    }))

  it("an outage without words is told by its name", () => {
    const wordless = Object.assign(new RangeError(""), { code: "ETIMEDOUT", syscall: "connect" })
    assert.deepStrictEqual(Discreet.faultOf(wordless), { name: "RangeError", message: "RangeError", code: "ETIMEDOUT" })
  })

  it.effect("what is no error stays as it is", () =>
    Effect.gen(function*() {
      const line = yield* logged(Effect.logInfo("x", [1, "two"], { of: [3] }))
      for (const part of [`[1,"two"]`, `{"of":[3]}`]) assert.include(line, part)
    }))

  it("an error that is its own cause is told, too", () => {
    const circular = new Error("round and round")
    circular.cause = circular
    assert.strictEqual(Discreet.faultOf(circular).cause?.name, "Error")
  })

  it.effect("an outage is one line that says what is wrong, without a driver's frames", () =>
    Effect.gen(function*() {
      const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), {
        code: "ECONNREFUSED",
        syscall: "connect"
      })
      const closed = new SqlError.ConnectionError({
        cause: new Error("Connection closed"),
        message: "Connection closed"
      })
      const unreached = new SqlError.ConnectionError({ cause: refused, message: "Failed to connect" })
      const outages = {
        "connect ECONNREFUSED 127.0.0.1": new StoreUnavailable({ cause: new SqlError.SqlError({ reason: unreached }) }),
        "connect ECONNREFUSED": sqlError(refused),
        "sorry, too many clients": sqlError(pgError("53300", "sorry, too many clients")),
        "in a read-only transaction": sqlError(pgError("25006", "cannot execute INSERT in a read-only transaction")),
        "Connection closed": new StoreUnavailable({ cause: new SqlError.SqlError({ reason: closed }) }),
        "no answer within 2 s": new StoreUnavailable({ cause: new Cause.TimeoutError("no answer within 2 s") })
      }
      for (const [words, error] of Object.entries(outages)) {
        for (const log of [Effect.logWarning("failed", error), Effect.logError("failed", Cause.fail(error))]) {
          const line = yield* logged(log)
          assert.include(line, words)
          assert.include(line, "StoreUnavailable")
          assert.notInclude(line, "    at ")
          assert.notInclude(line, "\"at\"")
          assert.isBelow(line.length, 400)
        }
      }
    }))

  it.effect("P9: a span that failed tells the fault's name, and no text of it", () =>
    Effect.gen(function*() {
      const spans: Array<Tracer.NativeSpan> = []
      const recorder = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      yield* Effect.gen(function*() {
        for (const error of quoting) {
          yield* Effect.fail(error).pipe(Trace.stage("attempt"), Trace.delivering(id, id), Effect.exit)
        }
        yield* Effect.void.pipe(Trace.accepting(id))
        yield* Effect.void.pipe(Effect.withSpan("housekeeping"))
        yield* Effect.void.pipe(Effect.withSpan("left out", { sampled: false }), Trace.delivering(id, id))
      }).pipe(Effect.provideService(Tracer.Tracer, Discreet.tracer(recorder)))
      const ends = spans.map(({ status }) =>
        status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""
      )
      assert.notInclude(ends.join("\n"), canary)
      assert.strictEqual(ends.filter((text) => text !== "").length, quoting.length * 2)
      const accept = spans.find(({ name }) => name === "accept")
      const deliver = spans.find(({ name }) => name === "deliver")
      assert.isTrue(accept !== undefined && Option.isNone(accept.parent))
      assert.strictEqual(accept?.spanId, Option.getOrThrow(deliver?.parent ?? Option.none()).spanId)
      assert.deepStrictEqual(spans.filter(({ sampled }) => !sampled).map(({ name }) => name), [
        "housekeeping",
        "left out"
      ])
    }))
})

describe("Telemetry.layer", () => {
  it.effect("makes no span where no collector is named", () =>
    Effect.gen(function*() {
      let made = 0
      const counting = Tracer.make({
        span: (options) => {
          made++
          return new Tracer.NativeSpan(options)
        }
      })
      const work = Effect.gen(function*() {
        yield* Effect.void.pipe(Effect.withSpan("service"))
        yield* Effect.void.pipe(Trace.stage("stage"), Trace.delivering(id, id))
        yield* HttpMiddleware.tracer(Effect.succeed(HttpServerResponse.empty())).pipe(
          Effect.provideService(
            HttpServerRequest.HttpServerRequest,
            HttpServerRequest.fromWeb(new Request("http://localhost/"))
          )
        )
      })
      const silent = Telemetry.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({}))))
      yield* work.pipe(Effect.provide(silent), Effect.provideService(Tracer.Tracer, counting))
      assert.strictEqual(made, 0)
      yield* work.pipe(Effect.provideService(Tracer.Tracer, counting))
      assert.isAbove(made, 0)
    }))
})
