import { none } from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Logger, Schema } from "effect"

const message = { to: { email: "ada@example.com" }, content: { title: "Hello", body: "Ada" } }

const hello: Simulation.Story = (world) => world.send(message, { key: "hello" })

/** A property or options as code without types has them. */
const untyped = (property: object): Simulation.Property => ({ story: hello, complaints: () => [], ...property })

const check = (property: Simulation.Property, options: object = {}) =>
  Simulation.check(property, { seeds: 1, nodes: 1, faults: none, ...options }).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({}))
  )

/** What a call of the world gives that types would refuse. */
const calls = (call: (world: Simulation.World) => Effect.Effect<unknown, unknown>) =>
  Simulation.run(1, call, { faults: none }).failure?.split("\n")[0]

const effectless = "the story broke off: Error: it has to give an Effect"

describe("a property that Node runs without looking at its types", () => {
  it.effect("does not hold for want of a story or of complaints", () =>
    Effect.gen(function*() {
      const broken: ReadonlyArray<readonly [property: object, sentence: string]> = [
        [
          { story: async () => "sent" },
          `${effectless}, as Effect.fnUntraced(function*(world) { … }) does, and gave one of type Promise`
        ],
        [{ *story() {} }, effectless],
        [{ story: () => undefined }, effectless],
        [
          { complaints: () => undefined },
          "complaints has to give an array of sentences, which is empty if nothing is wrong"
        ],
        [{ complaints: async () => ["wrong"] }, "complaints has to give an array of sentences"],
        [{ complaints: () => "wrong" }, "and gave one of type String"],
        [{ complaints: () => [false] }, "complaints has to give an array of sentences"]
      ]
      for (const [property, sentence] of broken) {
        const { complaints } = yield* Effect.flip(check(untyped(property)))
        assert.include(complaints.join(), sentence)
      }
      for (const property of [{ story: undefined }, { complaints: 3 }]) {
        assert.include(String(yield* Effect.exit(check(untyped(property)))), "the functions story and complaints")
      }
    }))

  it("says what a call of the world cannot be, which would do nothing", () => {
    const sentences: ReadonlyArray<
      readonly [call: (world: Simulation.World) => Effect.Effect<unknown, unknown>, string]
    > = [
      [
        ({ strike }) => Reflect.apply(strike, undefined, ["fire"]),
        "The story strikes with fire, which is none of crash, freeze"
      ],
      [
        ({ change }) => Reflect.apply(change, undefined, [{ _tag: "OptOut", userId: "ada" }]),
        "is none of Prefer, PutProfile"
      ],
      [
        ({ send }) => Reflect.apply(send, undefined, [message, { idempotencyKey: "k" }]),
        "The second argument of a send has idempotencyKey, which is none of key, environment"
      ],
      [({ resend }) => Reflect.apply(resend, undefined, ["x", { keys: "k" }]), "a send has keys, which is none of key"],
      // A send that was not accepted has no id, and a request is none.
      [
        ({ cancel }) => Reflect.apply(cancel, undefined, [undefined]),
        "A message's id has to be a string, and is of type Undefined"
      ],
      [
        ({ resend }) => Reflect.apply(resend, undefined, [{ requestId: "x" }]),
        "A message's id has to be a string, and is of type Object"
      ],
      [
        ({ open }) => Reflect.apply(open, undefined, [undefined]),
        "A message's id has to be a string, and is of type Undefined"
      ],
      [({ draw }) => Reflect.apply(draw, undefined, [Schema.String]), "world.draw has to be given an Arbitrary"],
      [
        ({ calls, report }) => Reflect.apply(report, undefined, [calls[0], "Bounce"]),
        "A receipt has to be for one of world.calls, and got one of type Undefined"
      ],
      [
        ({ report }) => Reflect.apply(report, undefined, [{}, "Bounced"]),
        "tells of Bounced, which is none of Deliver, Open"
      ]
    ]
    for (const [call, sentence] of sentences) assert.include(calls(call), sentence)
  })

  it.effect("is broken off by what goes wrong in a fiber that its story forks, as by what it does itself", () =>
    Effect.gen(function*() {
      const wrong = ({ send }: Simulation.World) => Reflect.apply(send, undefined, [message, { idempotencyKey: "k" }])
      const forks: ReadonlyArray<(one: Effect.Effect<unknown>) => Effect.Effect<unknown>> = [
        (one) => Effect.andThen(Effect.forkChild(one), Effect.sleep("1 minute")),
        (one) => Effect.andThen(Effect.forkDetach(Effect.delay(one, "10 seconds")), Effect.void),
        (one) => Effect.andThen(Effect.scoped(Effect.andThen(Effect.forkScoped(one), Effect.sleep("1 second"))), one)
      ]
      for (const fork of forks) {
        const story: Simulation.Story = (world) => Effect.andThen(hello(world), fork(wrong(world)))
        const { complaints } = yield* Effect.flip(check(untyped({ story })))
        assert.include(
          complaints.join(),
          "the story broke off: Error: The second argument of a send has idempotencyKey"
        )
        const thrown: Simulation.Story = () => fork(Effect.sync(() => assert.fail("no such order")))
        assert.include((yield* Effect.flip(check(untyped({ story: thrown })))).complaints.join(), "no such order")
      }
      const stopped: Simulation.Story = (world) =>
        Effect.andThen(Effect.forkChild(Effect.never), Effect.andThen(Effect.exit(Effect.die("known")), hello(world)))
      yield* check(untyped({ story: stopped }))
    }))

  it.effect("is told what its options are to be", () =>
    Effect.gen(function*() {
      const wrong: ReadonlyArray<readonly [options: object, sentence: string]> = [
        [{ faults: "none" }, "options.faults has to be an object, such as Faults.none"],
        [{ faults: { ...none, kinds: "crash" } }, "options.faults.kinds and options.faults.only have to be arrays"],
        [{ begins: "2026-02-30" }, "options.begins is 2026-02-30, and has to be a time such as"],
        [{ begins: 1_767_600_000_000 }, "options.begins is 1767600000000, and has to be a time such as"],
        [{ given: null }, "options.given has to be an object"],
        [{ given: { templates: null } }, "options.given.templates has to be an object of all by their ids"],
        [{ given: { profiles: [{ email: "ada@example.com" }] } }, "options.given.profiles has to be an object of all"]
      ]
      for (const [options, sentence] of wrong) {
        const exit = yield* Effect.exit(check(untyped({}), options))
        assert.isTrue(Exit.isFailure(exit))
        assert.include(String(exit), sentence)
      }
    }))

  it.effect("is warned of a story that sends nothing, as one does that forgets to yield", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logged = Logger.layer([Logger.make(({ message }) => lines.push(message))])
      const forgets: Simulation.Story = Effect.fnUntraced(function*(world) {
        hello(world)
        yield* Effect.sleep("1 second")
      })
      yield* Effect.provide(check(untyped({})), logged)
      assert.deepStrictEqual(lines, [])
      yield* Effect.provide(check(untyped({ story: forgets })), logged)
      assert.include(String(lines), "its story sends nothing in any world")
    }))
})
