import * as Server from "#layers/cli/Server.ts"
import * as Timeline from "#layers/cli/Timeline.ts"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Config, Console, Effect, Option, type Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"

const trimmed = (url: string): string => url.replace(/\/+$/, "")

const local = Config.map(Config.Port("PORT").pipe(Config.withDefault(3000)), (port) => `http://localhost:${port}`)

const serverOf = Effect.fnUntraced(function*(url: Option.Option<string>, key: Option.Option<Redacted.Redacted>) {
  if (Option.isNone(key)) {
    return yield* new Server.Stopped({ sentence: "No API key: set TIDINGS_API_KEY or --key", code: 2 })
  }
  return yield* Server.make({
    url: trimmed(Option.isSome(url) ? url.value : yield* Effect.orDie(local)),
    key: key.value
  })
})

/** A trace id, as tracing tools show it, is a request's id without its form. */
const idOf = (text: string): string =>
  /^[0-9a-f]{32}$/.test(text) ? `1-${text.slice(0, 8)}-${text.slice(8)}` : text.trim()

const trace = Command.make(
  "trace",
  {
    id: Argument.String("id").pipe(Argument.withDescription("A message's id, a requestId, or a trace id")),
    url: Flag.String("url").pipe(
      Flag.withDescription("Where the server is (TIDINGS_URL; http://localhost:$PORT)"),
      Flag.withFallbackConfig(Config.String("TIDINGS_URL")),
      Flag.optional
    ),
    key: Flag.Redacted("key").pipe(
      Flag.withDescription("An API key of the environment (TIDINGS_API_KEY)"),
      Flag.withFallbackConfig(Config.Redacted("TIDINGS_API_KEY")),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function*({ id, json, key, url }) {
    const server = yield* serverOf(url, key)
    const found = yield* server.find(idOf(id))
    if (json) {
      const { _tag: _, ...body } = found
      return yield* Console.log(JSON.stringify(body, null, 2))
    }
    yield* Console.log(
      found._tag === "Message"
        ? Timeline.timeline(found.message, found.events)
        : Timeline.listing(idOf(id), found.messages, found.more)
    )
  })
).pipe(Command.withDescription("Print a message's timeline, or the messages of a request"))

Command.make("tidings").pipe(
  Command.withDescription("Talks to a running Tidings server"),
  Command.withSubcommands([trace]),
  Command.run({ version: "0.1.0" }),
  Effect.tapErrorTag("Stopped", ({ sentence }) => Console.error(sentence)),
  Effect.provide([NodeServices.layer, FetchHttpClient.layer]),
  NodeRuntime.runMain
)
