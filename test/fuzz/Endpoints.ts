import { Api } from "#schemas/api/Api.ts"
import type { Schema } from "effect"
import { HttpApi } from "effect/http-api"

/** An endpoint of the route table as the fuzz test needs it. */
export interface Endpoint {
  readonly method: string
  /** With parameters as `:name`. */
  readonly path: string
  readonly query: Schema.Top | undefined
  /** What its body may be; empty for an endpoint without one. */
  readonly payloads: ReadonlyArray<Schema.Top>
}

const found: Array<Endpoint> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    found.push({
      method: endpoint.method,
      path: endpoint.path,
      query: endpoint.query,
      payloads: [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
    })
  }
})

/** Every endpoint there is. */
export const endpoints: ReadonlyArray<Endpoint> = found
