import type { Answer, StoredResponse } from "#src/access/Idempotency.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse

const decoder = new TextDecoder()

const textOf = ({ body }: Response): string | undefined => {
  switch (body._tag) {
    case "Empty":
      return ""
    case "Uint8Array":
      return body.text ?? decoder.decode(body.body)
    default:
      return undefined
  }
}

/** The headers that are stored: all but the length, which follows from the body. */
const kept = ({ headers }: Response): StoredResponse["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "content-length"))

/** A response as it is stored. A streamed one cannot be, and no endpoint of the JSON API gives one. */
export const toStored = (response: Response): Effect.Effect<StoredResponse> => {
  const body = textOf(response)
  if (body === undefined) return Effect.die(new Error("A streamed response cannot be stored"))
  return Effect.succeed({ status: response.status, body, headers: kept(response) })
}

const replay = "idempotent-replayed"

export const isReplay = ({ headers }: Response): boolean => headers[replay] !== undefined

/** The headers of the response to give for a stored one. If it is a replay, one says so. */
export const headersOf = ({ replayed, response: { headers } }: Answer): StoredResponse["headers"] =>
  replayed ? { ...headers, [replay]: "true" } : headers

/** The response to give for a stored one. */
export const fromStored = (answer: Answer): Response => {
  const { body, headers, status } = answer.response
  const all = headersOf(answer)
  return body === ""
    ? HttpServerResponse.empty({ status, headers: all })
    : HttpServerResponse.text(body, {
      status,
      headers: all,
      contentType: headers["content-type"] ?? "application/json"
    })
}

/** A JSON response that is stored before it is given. */
export const json = (status: number, body: object): StoredResponse => ({
  status,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" }
})
