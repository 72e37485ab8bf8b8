import type { OpenApi } from "effect/http-api"

const security: Array<OpenApi.OpenAPISecurityRequirement> = [{ bearer: [] }, { basic: [] }]

const securitySchemes: Record<string, OpenApi.OpenAPISecurityScheme> = {
  bearer: { type: "http", scheme: "bearer", description: "An API key." },
  basic: {
    type: "http",
    scheme: "basic",
    description: "The account's email address as user name, an API key as password."
  }
}

const idempotency: Array<OpenApi.OpenAPISpecParameter> = [
  {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 255 },
    description: "With the same key and path, the first response is replayed and nothing runs again."
  },
  {
    name: "x-idempotency-expiration",
    in: "header",
    required: false,
    schema: { type: "string" },
    description:
      "Until when the key holds: ISO 8601, epoch ms or s; 25 hours at least and by default, a year at most."
  }
]

/** Answers that only the idempotency key (409) or a body (413, 415) can bring about. */
const others = (method: string): ReadonlyArray<number> =>
  method === "post" ? [] : hasBody(method) ? [409] : [409, 413, 415]

const hasBody = (method: string): boolean => method === "put" || method === "patch"

const operation = (method: string, described: OpenApi.OpenAPISpecOperation): OpenApi.OpenAPISpecOperation => ({
  ...described,
  security,
  parameters: method === "post" ? [...described.parameters, ...idempotency] : described.parameters,
  responses: Object.fromEntries(
    Object.entries(described.responses).filter(([status]) => !others(method).includes(Number(status)))
  )
})

const paths = (described: Record<string, Record<string, OpenApi.OpenAPISpecOperation>>) =>
  Object.fromEntries(
    Object.entries(described).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, found]) => [method, operation(method, found)]))
    ])
  )

/**
 * Adds to the generated OpenAPI document what stands before the endpoints: the ways to authenticate, and the
 * idempotency headers.
 */
export const document = (spec: OpenApi.Transform["Service"] extends (spec: infer S) => unknown ? S : never) => ({
  ...spec,
  paths: paths(spec["paths"]),
  components: { ...spec["components"], securitySchemes },
  security
})
