import * as ClusterView from "#layers/cli/ClusterView.ts"
import { keyKinds } from "#layers/cli/KeyKinds.ts"
import { print } from "#layers/cli/Print.ts"
import * as Server from "#layers/cli/Server.ts"
import * as Timeline from "#layers/cli/Timeline.ts"
import { version } from "#schemas/Version.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Config, Console, Effect, Option, Redacted, Stream, Struct } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"

const trimmed = (url: string): string => url.replace(/\/+$/, "")

const local = Config.Port("PORT").pipe(
  Config.withDefault(3000),
  Config.map((port) => `http://localhost:${port}`),
  Effect.mapError(() =>
    new Server.Stopped({ sentence: "PORT must be a port number; or set TIDINGS_URL or --url", code: 3 })
  )
)

const serverOf = Effect.fnUntraced(function*(url: Option.Option<string>, key: Option.Option<Redacted.Redacted>) {
  if (Option.isNone(key) || Redacted.value(key.value).trim() === "") {
    return yield* new Server.Stopped({ sentence: "No API key: set TIDINGS_API_KEY or --key", code: 2 })
  }
  return yield* Server.make({
    url: trimmed(Option.isSome(url) ? url.value : yield* local),
    key: key.value
  })
})

/**
 * A request's id for a trace id of tracing tools, which is that id without its prefix and dashes; any other text as it
 * is.
 */
const idOf = (text: string): string => text.trim().replace(/^([0-9a-f]{8})([0-9a-f]{24})$/, "1-$1-$2")

/** The ids that this text may be. A trace id that a caller chose may look like one of tracing tools. */
const spellings = (text: string): ReadonlyArray<string> => [...new Set([idOf(text), text.trim()])]

/** Flags of every command: where the server is, whose key to use, and how to answer. */
const flags = {
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
}

const trace = Command.make(
  "trace",
  {
    id: Argument.String("id").pipe(Argument.withDescription("A message's id, a requestId, or a trace id")),
    ...flags
  },
  Effect.fnUntraced(function*({ id, json, key, url }) {
    const server = yield* serverOf(url, key)
    const found = yield* server.find(spellings(id))
    if (json) {
      const { _tag: _, ...body } = found
      return yield* print(JSON.stringify(body, null, 2))
    }
    yield* print(
      found._tag === "Message"
        ? Timeline.timeline(found.message, found.events)
        : Timeline.listing(found)
    )
  })
).pipe(Command.withDescription("Print a message's timeline, or the messages of a request"))

const cluster = Command.make(
  "cluster",
  flags,
  Effect.fnUntraced(function*({ json, key, url }) {
    const seen = yield* (yield* serverOf(url, key)).cluster
    yield* print(json ? JSON.stringify(seen, null, 2) : ClusterView.view(seen, yield* Clock.currentTimeMillis))
  })
).pipe(Command.withDescription("Show the nodes, which shards each owns, and how far behind they are"))

const said = (replayed: Server.Replayed): string => {
  if ("request" in replayed) {
    const nothing = replayed.resumed === false ? ": it is not set aside, so there is nothing to replay" : ""
    return `${replayed.id} is a request to many, ${replayed.request}${nothing}`
  }
  if (replayed.replayed_as === null) return replayed.id
  const done = replayed.replayed_before === true ? "was sent again before, as" : "is sent again as"
  return `${replayed.id} ${done} ${replayed.replayed_as}`
}

const replay = Command.make(
  "replay",
  {
    ids: Argument.String("id").pipe(
      Argument.withDescription(
        "Messages to send again, requests to many to go on with; none: all that is in quarantine"
      ),
      Argument.variadic()
    ),
    list: Flag.Boolean("list").pipe(
      Flag.withDescription("Only show what is in quarantine"),
      Flag.withDefault(false)
    ),
    ...flags
  },
  Effect.fnUntraced(function*({ ids, json, key, list, url }) {
    const server = yield* serverOf(url, key)
    const aside: Stream.Stream<Server.Replayed, Server.Stopped> = ids.length > 0
      ? Stream.fromIterable(ids.map((id) => ({ id: idOf(id), replayed_as: null })))
      : server.quarantined
    const replayed: Array<Server.Replayed> = []
    const refused: Array<Server.Stopped> = []
    const tell = (one: Server.Replayed) => {
      replayed.push(one)
      return json ? Effect.void : print(said(one))
    }
    // Each is told when it is done: a server that fails in between takes back nothing. A fault of one id does not stop
    // the others.
    const ended = yield* Effect.result(Stream.runForEach(aside, (one) =>
      list ? tell(one) : server.replay(one.id).pipe(
        Effect.flatMap(tell),
        Effect.catchIf(Server.isOfOne, (error) => Effect.sync(() => void refused.push(error)))
      )))
    if (json) yield* print(JSON.stringify(replayed, null, 2))
    yield* Effect.fromResult(ended)
    if (!json && replayed.length === 0 && refused.length === 0) yield* print("Nothing is in quarantine")
    const [first] = refused
    if (first === undefined) return
    return yield* new Server.Stopped({
      sentence: refused.map(({ sentence }) => sentence).join("\n"),
      code: first.code
    })
  })
).pipe(
  Command.withDescription(
    "Send messages again that were set aside after five tries, each once, as new messages; let requests to many go on"
  )
)

/** The other commands ask a server. The store's modules are loaded for these alone. */
const newKeys = Command.make(
  "new-keys",
  {},
  () => Effect.flatMap(Effect.promise(() => import("#layers/cli/NewKeys.ts")), ({ run }) => run)
).pipe(
  Command.withDescription(
    "Make four API keys in place of all others, in DATABASE_URL or the data directory of a server that is stopped"
  )
)

const keys = Command.make(
  "keys",
  {},
  () => Effect.flatMap(Effect.promise(() => import("#layers/cli/Keys.ts")), ({ list }) => list)
).pipe(Command.withDescription("Show the names of the API keys, in DATABASE_URL or a stopped server's data directory"))

const newKey = Command.make(
  "new-key",
  {
    kind: Argument.Literals("kind", Struct.keys(keyKinds)).pipe(
      Argument.withDescription(`How it begins, which says what it opens: ${Struct.keys(keyKinds).join(", ")}`)
    )
  },
  ({ kind }) => Effect.flatMap(Effect.promise(() => import("#layers/cli/Keys.ts")), ({ add }) => add(kind))
).pipe(Command.withDescription("Make one more API key, beside the others"))

const endKey = Command.make(
  "end-key",
  { key: Argument.String("key").pipe(Argument.withDescription("Its name, or the key itself")) },
  ({ key }) => Effect.flatMap(Effect.promise(() => import("#layers/cli/Keys.ts")), ({ end }) => end(key.trim()))
).pipe(Command.withDescription("End one API key; nodes that run may take it for a minute more"))

const endOpen = Command.make(
  "end-open",
  {},
  () => Effect.flatMap(Effect.promise(() => import("#layers/cli/EndOpen.ts")), ({ run }) => run)
).pipe(
  Command.withDescription(
    "End all that waits to be sent, in a store that no server runs on: a restored backup would send it again"
  )
)

const move = Command.make(
  "move",
  {},
  () => Effect.flatMap(Effect.promise(() => import("#layers/cli/Move.ts")), ({ run }) => run)
).pipe(
  Command.withDescription(
    "Move all that is in the data directory of a stopped server to the Postgres of DATABASE_URL, which has to be empty"
  )
)

Command.make("tidings").pipe(
  Command.withDescription("Talks to a running Tidings server, or works on the store of one"),
  Command.withSubcommands([trace, cluster, replay, keys, newKey, endKey, newKeys, endOpen, move]),
  Command.run({ version }),
  Effect.tapErrorTag("Stopped", ({ sentence }) => Console.error(sentence)),
  Effect.provide([NodeServices.layer, FetchHttpClient.layer]),
  NodeRuntime.runMain
)
