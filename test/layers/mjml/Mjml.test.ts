import * as Layers from "#layers/mjml/Mjml.ts"
import { limits, Mjml } from "#src/content/Mjml.ts"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { Session } from "node:inspector"
import type { Worker } from "node:worker_threads"

const mail = (inside: string) =>
  `<mjml><mj-body><mj-section><mj-column>${inside}</mj-column></mj-section></mj-body></mjml>`
const evaluated = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({ id: Schema.Int, result: Schema.Struct({ result: Schema.Struct({ value: Schema.String }) }) })
  )
)

/** Evaluates an expression in each worker that this process starts meanwhile, as a debugger does. */
const insideWorkers = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const session = new Session()
      session.connect()
      const ids: Array<string> = []
      session.on("NodeWorker.attachedToWorker", ({ params }) => ids.push(params.sessionId))
      session.post("NodeWorker.enable", { waitForDebuggerOnStart: false })
      return { ids, session }
    }),
    ({ session }) => Effect.sync(() => session.disconnect())
  ),
  ({ ids, session }) => (expression: string) =>
    Effect.forEach(ids, (sessionId, index) =>
      Effect.callback<string>((resume) => {
        session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
          const answer = Option.getOrUndefined(evaluated(params.message))
          if (answer?.id === index) resume(Effect.succeed(answer.result.result.value))
        })
        const message = JSON.stringify({ id: index, method: "Runtime.evaluate", params: { expression } })
        session.post("NodeWorker.sendMessageToWorker", { sessionId, message })
      }))
)
const compile = (source: string) => Mjml.use((mjml) => mjml.compile(source, { lane: "", whose: "" }))

layer(Layers.layer, { excludeTestServices: true })("Mjml", (it) => {
  it.effect(
    "a caller who does not wait for the compiler's start does not end it for the next",
    () =>
      Effect.gen(function*() {
        // Less than it takes to load the compiler, and in all much more.
        const impatient = compile(mail("<mj-text>a</mj-text>")).pipe(Effect.timeout("100 millis"), Effect.option)
        const served = Effect.repeat(impatient, { until: (html) => html._tag === "Some" })
        assert.isTrue(Option.isSome(yield* Effect.timeout(served, "30 seconds")))
      }),
    60_000
  )

  it.effect("compiles to HTML of tables", () =>
    Effect.gen(function*() {
      const html = yield* compile(
        mail(`<mj-text>Hello {{name}}</mj-text><mj-button href="https://x.io">Go</mj-button>`)
      )
      assert.include(html, "Hello {{name}}")
      assert.include(html, "role=\"presentation\"")
      assert.include(html, "https://x.io")
    }))

  it.effect("a source gives the same page each time, with names of its own for each element", () =>
    Effect.gen(function*() {
      const menu = `<mj-navbar hamburger="hamburger"><mj-navbar-link href="https://x.io">x</mj-navbar-link></mj-navbar>`
      const html = yield* compile(mail(menu + menu))
      const elsewhere = Effect.andThen(compile(mail(menu)), compile(mail(menu + menu)))
      assert.strictEqual(yield* Effect.provide(elsewhere, Layer.fresh(Layers.layer)), html)
      const names = [...html.matchAll(/<input type="checkbox" id="([0-9a-f]+)"/g)].map(([, name]) => name)
      assert.strictEqual(new Set(names).size, 2)
    }))

  it.effect("sources that come at once each become their own page", () =>
    Effect.gen(function*() {
      const names = ["Ada", "Bob", "Cleo", "Dora", "Emil"]
      const pages = yield* Effect.forEach(names, (name) => compile(mail(`<mj-text>${name}</mj-text>`)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        pages.map((page) => names.filter((name) => page.includes(`>${name}<`))),
        names.map((_) => [_])
      )
    }))

  it.effect("reads no file and includes nothing", () =>
    Effect.gen(function*() {
      const html = yield* compile(mail(`<mj-text>a</mj-text><mj-include path="/etc/hostname" type="html" />`))
      assert.notInclude(html, "root")
      const other = yield* compile(
        `<mjml><mj-head><mj-include path="/etc/passwd" type="css" /></mj-head><mj-body></mj-body></mjml>`
      )
      assert.notInclude(other, "root:")
      // Below the working directory the compiler itself would let it.
      const near = yield* compile(mail(`<mj-text>a</mj-text><mj-include path="LICENSE" type="html" />`))
      assert.notInclude(near, "Permission is hereby granted")
    }))

  it.effect("refuses what is no MJML", () =>
    Effect.gen(function*() {
      for (const source of ["", "<p>hi</p>", "<mjml>", "\u0000"]) {
        assert.include((yield* Effect.flip(compile(source))).detail, "malformed", source)
      }
    }))

  it.effect("a source that is too long is not compiled at all", () =>
    Effect.gen(function*() {
      const long = yield* Effect.flip(compile(mail("x".repeat(limits.source))))
      assert.strictEqual(long.detail, `The MJML is longer than ${limits.source} characters`)
    }))

  it.effect("bombs end by a limit, and the next source compiles", () =>
    Effect.gen(function*() {
      const deep = mail("<mj-text>" + "<div>".repeat(40_000) + "</mj-text>")
      const wide = mail("<mj-text>a</mj-text>".repeat(12_000))
      const nested = `<mjml><mj-body>${"<mj-wrapper>".repeat(15_000)}</mj-body></mjml>`
      for (const [n, bomb] of [deep, wide, nested, "x".repeat(300_000)].entries()) {
        const ended = yield* Effect.result(compile(bomb))
        if (ended._tag === "Failure") assert.match(ended.failure.detail, /^The MJML /)
        assert.include(yield* compile(mail(`<mj-text>next${n}</mj-text>`)), `next${n}`)
      }
    }), 60_000)
})

it.live(
  "equal sources are compiled once, those too that wait together; 64 pages are kept, none of more than 262,144 characters",
  () =>
    Effect.gen(function*() {
      let asked = 0
      const count = (worker: Worker) => {
        const post = worker.postMessage.bind(worker)
        Object.assign(worker, { postMessage: (source: string) => (asked++, post(source)) })
      }
      process.on("worker", count)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.off("worker", count)))
      const page = (text: string | number) => compile(mail(`<mj-text>${text}</mj-text>`))
      const together = yield* Effect.forEach(Array.from({ length: 5 }, () => 0), page, { concurrency: "unbounded" })
      assert.deepStrictEqual([new Set(together).size, asked], [1, 1])
      for (let n = 1; n < 64; n++) yield* page(n)
      assert.strictEqual(yield* page(0), together[0])
      assert.strictEqual(asked, 64)
      // Since 0 was just asked for, 1 gives way to 64.
      yield* Effect.forEach([64, 0, 64, 1], page)
      assert.strictEqual(asked, 66)
      const longest = 262_144 - (together[0]?.length ?? 0) + 1
      for (const [characters, times] of [[longest, 1], [longest + 1, 2]] as const) {
        const before = asked
        const pages = yield* Effect.forEach([0, 1], () => page("x".repeat(characters)))
        assert.deepStrictEqual([pages[0]?.length, asked - before], [262_144 - longest + characters, times])
      }
      yield* Effect.forEach([0, 1], () => Effect.flip(compile("<p>hi</p>")))
      assert.strictEqual(asked, 71)
      const [first] = yield* Effect.forEach(
        ["a", "b"],
        (text) => Effect.forkChild(page(`${text}</mj-text><mj-text>`.repeat(500)), { startImmediately: true })
      )
      yield* page(1)
      assert.isUndefined(first?.pollUnsafe(), "a kept page waited for the compiler")
    }).pipe(Effect.provide(Layer.fresh(Layers.layer))),
  60_000
)

it.live(
  "a worker that ends while it has nothing to do is replaced, and no source is refused for it",
  () =>
    Effect.gen(function*() {
      const started: Array<Worker> = []
      const note = (worker: Worker) => started.push(worker)
      process.on("worker", note)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.off("worker", note)))
      assert.include(yield* compile(mail("<mj-text>first</mj-text>")), "first")
      yield* Effect.forEach(started, (worker) => Effect.promise(() => worker.terminate()))
      assert.include(yield* compile(mail("<mj-text>next</mj-text>")), "next")
      assert.lengthOf(started, 2)
    }).pipe(Effect.provide(Layer.fresh(Layers.layer))),
  60_000
)

it.live(
  "P9: the worker, which runs what callers wrote, has nothing of this process's environment and arguments, and its own heap",
  () =>
    Effect.gen(function*() {
      process.env["TIDINGS_CANARY"] = "canary"
      const started: Array<Worker> = []
      const note = (worker: Worker) => started.push(worker)
      process.on("worker", note)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          process.off("worker", note)
          delete process.env["TIDINGS_CANARY"]
        })
      )
      const inside = yield* insideWorkers
      assert.include(yield* compile(mail("<mj-text>first</mj-text>")), "first")
      assert.deepStrictEqual(yield* inside("JSON.stringify([process.env, process.argv.slice(2), process.execArgv])"), [
        "[{},[],[]]"
      ])
      assert.deepStrictEqual(started.map(({ resourceLimits }) => resourceLimits?.maxOldGenerationSizeMb), [192])
    }).pipe(Effect.provide(Layer.fresh(Layers.layer))),
  60_000
)
