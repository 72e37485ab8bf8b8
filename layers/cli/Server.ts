import { said } from "#layers/CannotStart.ts"
import { Cluster } from "#schemas/api/Cluster.ts"
import { MessageDetails } from "#schemas/api/MessageDetails.ts"
import { HistoryEntry } from "#schemas/api/Messages.ts"
import { type Paging, Results } from "#schemas/api/Paging.ts"
import { RequestProgress } from "#schemas/api/Requests.ts"
import { Cause, Effect, Option, Redacted, Runtime, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"

/**
 * Ends the command with one sentence for the operator. Exit codes: 2 no key, 3 no server, 4 key refused, 5 not found, 6
 * refused, 1 everything else.
 */
export class Stopped extends Schema.TaggedError<Stopped>()("Stopped", { sentence: Schema.String, code: Schema.Int }) {
  override get message(): string {
    return this.sentence
  }
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

/** Where the running server is, and the API key to ask it with. */
export interface Server {
  readonly url: string
  readonly key: Redacted.Redacted
}

const patience = "10 seconds"

/** That nothing listens there, or no host has that name: Node's codes, and Deno's words. */
const elsewhere = /ECONNREFUSED|ENOTFOUND|Connection refused|dns error/

/** No answer came from this URL. The URL is blamed only for a fault that another one would not have. */
const unreachable = (url: string) => (error: unknown): Stopped => {
  const why = Cause.isTimeoutError(error) ? "it was silent for 10 s" : said(error)
  const rest = elsewhere.test(why) ? "; set TIDINGS_URL or --url" : `: ${why}`
  return new Stopped({ sentence: `No Tidings server answers at ${url}${rest}`, code: 3 })
}

const most = 100

/** Whether the engine has quarantined this message: its error then begins so (`src/delivery/shards/Tries.ts`). */
const isQuarantined = ({ error }: MessageDetails): boolean => error?.startsWith("Quarantined") === true

/** Whether this failure concerns one id only, so that a command goes on with the other ids. */
export const isOfOne = ({ code }: Stopped): boolean => code === 5 || code === 6

const nameless = new Stopped({ sentence: "The id is empty: say a message's id or a requestId", code: 5 })

/** Whether no path can name this id: a URL with such a segment is another path's, however it is spelt (URL, 4.5). */
const isDots = (id: string): boolean => id === "." || id === ".."

const Refusal = Schema.Struct({ message: Schema.String })
const Page = Results(MessageDetails)
const RequestPage = Results(RequestProgress)
const Resent = Schema.Struct({ messageId: Schema.String })
const History = Schema.Struct({ results: Schema.Array(HistoryEntry) })

/** Beyond the longest life of an idempotency key: the server keeps this one as long as it keeps any (api.md 1.5). */
const forever = "9999-12-31T00:00:00Z"

/**
 * A request and its newest messages, archived or not. `request` is `undefined` if the id is a trace id that callers
 * gave.
 */
export interface Several {
  readonly _tag: "Several"
  readonly id: string
  readonly request: RequestProgress | undefined
  readonly messages: ReadonlyArray<MessageDetails>
  readonly more: boolean
}

/** What an id stands for: one message with its timeline, or several. */
export type Found =
  | { readonly _tag: "Message"; readonly message: MessageDetails; readonly events: ReadonlyArray<HistoryEntry> }
  | Several

/**
 * What became of an id: replayed as another message, or a request in this state. `replayed_before`: an earlier replay
 * made that message, and this one sent nothing. `resumed: false`: the request was not in quarantine.
 */
export type Replayed =
  | { readonly id: string; readonly replayed_as: string | null; readonly replayed_before?: true }
  | { readonly id: string; readonly request: RequestProgress["state"]; readonly resumed?: false }

/** A client of the server's API. The command does not open the data directory, which the running server owns. */
export const make = Effect.fnUntraced(function*({ key, url }: Server) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    const sentence = `${url} is not the URL of a server; set TIDINGS_URL or --url to one such as http://localhost:3000`
    return yield* new Stopped({ sentence, code: 3 })
  }
  if (!/^[\x21-\x7e]+$/.test(Redacted.value(key).trim())) {
    const sentence =
      "The API key has characters that no key has: set TIDINGS_API_KEY or --key to one that the first start printed"
    return yield* new Stopped({ sentence, code: 2 })
  }
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl(url)),
    HttpClient.mapRequest(HttpClientRequest.bearerToken(key))
  )
  const strange = new Stopped({ sentence: `What answers at ${url} is not a Tidings server of this version`, code: 1 })

  /** The message of a refusal's body. */
  const wordsOf = (response: HttpClientResponse.HttpClientResponse) =>
    response.json.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Refusal)),
      Effect.match({ onFailure: () => undefined, onSuccess: ({ message }) => message })
    )

  /** Why the server is not ready, in its own words; `undefined` if it is ready or does not say. */
  const unready = client.get("/health/ready").pipe(
    Effect.flatMap((response) => response.status === 503 ? wordsOf(response) : Effect.undefined),
    Effect.timeout(patience),
    Effect.orElseSucceed(() => undefined)
  )

  /** What the server answers to a request about `what`; `undefined`: 404. */
  const answerTo = Effect.fnUntraced(function*(
    request: Effect.Effect<HttpClientResponse.HttpClientResponse, unknown>,
    what = "it"
  ) {
    const response: HttpClientResponse.HttpClientResponse = yield* request.pipe(
      Effect.timeout(patience),
      Effect.mapError(unreachable(url))
    )
    if (response.status === 404) return undefined
    if (response.status === 401) return yield* new Stopped({ sentence: `${url} refuses the API key`, code: 4 })
    if (response.status !== 200) {
      const words = yield* wordsOf(response)
      if (words !== undefined && response.status < 500 && response.status !== 429) {
        return yield* new Stopped({ sentence: `${url} refuses ${what}: ${words}`, code: 6 })
      }
      const said = [words, response.status === 503 ? yield* unready : undefined].filter((text) => text !== undefined)
      return yield* new Stopped({
        sentence: `${[`${url} answered ${response.status}`, ...said].join(": ")}; try again later`,
        code: 1
      })
    }
    return response
  })

  const bodyOf = <A>(response: HttpClientResponse.HttpClientResponse, schema: Schema.Codec<A, unknown>) =>
    response.json.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(schema)),
      Effect.mapError(() => strange)
    )

  const ask = Effect.fnUntraced(function*<A>(
    request: Effect.Effect<HttpClientResponse.HttpClientResponse, unknown>,
    schema: Schema.Codec<A, unknown>,
    what?: string
  ) {
    const response = yield* answerTo(request, what)
    return response === undefined ? undefined : yield* bodyOf(response, schema)
  })

  const get = <A>(path: string, schema: Schema.Codec<A, unknown>) => ask(client.get(path), schema)

  /** What every Tidings server has: a server without it is another one, or this is not its URL. */
  const own = <A>(path: string, schema: Schema.Codec<A, unknown>) =>
    Effect.flatMap(get(path, schema), (found) => found === undefined ? Effect.fail(strange) : Effect.succeed(found))

  /** All results of a list, page by page. */
  const all = <A>(
    path: string,
    schema: Schema.Codec<{ readonly paging: typeof Paging.Type; readonly results: ReadonlyArray<A> }, unknown>
  ): Stream.Stream<A, Stopped> =>
    Stream.paginate("", (cursor) =>
      Effect.map(own(`${path}${cursor}`, schema), ({ paging, results }) => [
        results,
        Option.map(Option.fromNullishOr(paging.cursor), (next) => `&cursor=${encodeURIComponent(next)}`)
      ]))

  const missing = (id: string) =>
    new Stopped({ sentence: `No message and no request has the id ${id} in this key's environment`, code: 5 })

  /** Fails with `missing` where a Tidings server answers. */
  const absent = (id: string) => Effect.flatMap(own("/messages?limit=1", Page), () => missing(id))

  /**
   * Takes a message that was sent again out of quarantine, by archiving its request. One of a request to several stays:
   * the others would be hidden with it. If this fails, the message stays until it is replayed the next time.
   */
  const release = Effect.fnUntraced(function*(path: string) {
    const message = yield* get(path, MessageDetails)
    if (message === undefined || !isQuarantined(message) || message.requestId !== message.id) return
    yield* answerTo(client.put(`/requests/${message.id}/archive`))
  }, (releasing) => Effect.ignore(releasing))

  const look = Effect.fnUntraced(function*(id: string): Effect.fn.Return<Found | undefined, Stopped> {
    const path = `/messages/${encodeURIComponent(id)}`
    const message = isDots(id) ? undefined : yield* get(path, MessageDetails)
    if (message !== undefined) {
      const history = yield* get(`${path}/history`, History)
      return { _tag: "Message", message, events: history?.results ?? [] }
    }
    const request = isDots(id) ? undefined : yield* get(`/requests/${encodeURIComponent(id)}`, RequestProgress)
    const { paging, results: messages } = yield* own(
      `/messages?limit=${most}&archived=true&traceId=${encodeURIComponent(id)}`,
      Page
    )
    if (request === undefined && messages.length === 0) return undefined
    return { _tag: "Several", id, request, messages, more: paging.more }
  })

  return {
    cluster: own("/cluster", Cluster),
    /** What is in quarantine: messages, then requests to many, the newest first. */
    quarantined: Stream.concat(
      all(`/messages?limit=${most}&status=UNDELIVERABLE`, Page).pipe(
        Stream.filter(isQuarantined),
        Stream.map(({ id }): Replayed => ({ id, replayed_as: null }))
      ),
      all(`/requests?limit=${most}&state=FAILED`, RequestPage).pipe(
        Stream.map(({ requestId, state }): Replayed => ({ id: requestId, request: state }))
      )
    ),
    /**
     * Sends a message again, answers the new message's id and takes the old one out of quarantine. It is sent once,
     * however often this is asked for within a year. A request to many that was quarantined is resumed instead.
     */
    replay: Effect.fnUntraced(function*(id: string): Effect.fn.Return<Replayed, Stopped> {
      if (id === "") return yield* nameless
      if (isDots(id)) return yield* absent(id)
      const message = `/messages/${encodeURIComponent(id)}`
      const again = client.post(`${message}/resend`, {
        headers: { "idempotency-key": `replay-${id}`, "x-idempotency-expiration": forever }
      })
      const resent = yield* answerTo(again, id)
      if (resent !== undefined) {
        const { messageId } = yield* bodyOf(resent, Resent)
        yield* release(message)
        const isRepeat = resent.headers["idempotent-replayed"] === "true"
        return { id, replayed_as: messageId, ...(isRepeat ? { replayed_before: true } : {}) }
      }
      const path = `/requests/${encodeURIComponent(id)}`
      const before = yield* get(path, RequestProgress)
      if (before !== undefined && before.state !== "FAILED") return { id, request: before.state, resumed: false }
      const request = yield* ask(client.post(`${path}/resume`), RequestProgress, id)
      if (request !== undefined) return { id, request: request.state }
      return yield* absent(id)
    }),
    /** Finds what the first of these ids that exists stands for. */
    find: Effect.fnUntraced(function*(ids: ReadonlyArray<string>): Effect.fn.Return<Found, Stopped> {
      if (ids.includes("")) return yield* nameless
      for (const id of ids) {
        const found = yield* look(id)
        if (found !== undefined) return found
      }
      return yield* missing(ids.at(-1) ?? "")
    })
  }
})
