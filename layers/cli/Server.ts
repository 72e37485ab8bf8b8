import { MessageDetails } from "#schemas/api/MessageDetails.ts"
import { HistoryEntry } from "#schemas/api/Messages.ts"
import { Results } from "#schemas/api/Paging.ts"
import { Effect, type Redacted, Runtime, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"

/** The command ends here, with one sentence for the operator. Exit codes: 2 no key, 3 no server, 4 key refused, 5 not found, 1 the rest. */
export class Stopped extends Schema.TaggedError<Stopped>()("Stopped", { sentence: Schema.String, code: Schema.Int }) {
  override get message(): string {
    return this.sentence
  }
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

/** Where the running server is, and who asks. */
export interface Server {
  readonly url: string
  readonly key: Redacted.Redacted
}

const patience = "10 seconds"
const most = 100

const Page = Results(MessageDetails)
const History = Schema.Struct({ results: Schema.Array(HistoryEntry) })

/** What an id stands for: one message with its timeline, or the newest messages of a request. */
export type Found =
  | { readonly _tag: "Message"; readonly message: MessageDetails; readonly events: ReadonlyArray<HistoryEntry> }
  | { readonly _tag: "Request"; readonly messages: ReadonlyArray<MessageDetails>; readonly more: boolean }

/** Asks the server, whose data directory has one owner, by its API. */
export const make = Effect.fnUntraced(function*({ key, url }: Server) {
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl(url)),
    HttpClient.mapRequest(HttpClientRequest.bearerToken(key))
  )
  const unreachable = new Stopped({
    sentence: `No Tidings server answers at ${url}; set TIDINGS_URL or --url`,
    code: 3
  })
  const strange = new Stopped({ sentence: `What answers at ${url} is not a Tidings server of this version`, code: 1 })

  const get = Effect.fnUntraced(function*<A>(path: string, schema: Schema.Codec<A, unknown>) {
    const response: HttpClientResponse.HttpClientResponse = yield* client.get(path).pipe(
      Effect.timeout(patience),
      Effect.mapError(() => unreachable)
    )
    if (response.status === 404) return undefined
    if (response.status === 401) return yield* new Stopped({ sentence: `${url} refuses the API key`, code: 4 })
    if (response.status !== 200) {
      return yield* new Stopped({ sentence: `${url} answered ${response.status}; try again later`, code: 1 })
    }
    return yield* response.json.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(schema)),
      Effect.mapError(() => strange)
    )
  })

  return {
    find: Effect.fnUntraced(function*(id: string): Effect.fn.Return<Found, Stopped> {
      const path = `/messages/${encodeURIComponent(id)}`
      const message = yield* get(path, MessageDetails)
      if (message !== undefined) {
        const history = yield* get(`${path}/history`, History)
        return { _tag: "Message", message, events: history?.results ?? [] }
      }
      const page = yield* get(`/messages?limit=${most}&traceId=${encodeURIComponent(id)}`, Page)
      if (page === undefined || page.results.length === 0) {
        return yield* new Stopped({
          sentence: `No message and no request has the id ${id} in this key's environment`,
          code: 5
        })
      }
      return { _tag: "Request", messages: page.results, more: page.paging.more }
    })
  }
})
