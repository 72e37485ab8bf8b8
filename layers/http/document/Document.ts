import * as Examples from "#layers/http/document/Examples.ts"
import * as Schemas from "#layers/http/document/Schemas.ts"
import { Api } from "#schemas/api/Api.ts"
import { keyPattern, longestKey } from "#src/access/IdempotencyHeaders.ts"
import { routes } from "#src/access/RateLimits.ts"
import { HttpApi, type OpenApi } from "effect/http-api"

const security: Array<OpenApi.OpenAPISecurityRequirement> = [{ bearer: [] }, { basic: [] }]

const securitySchemes: Record<string, OpenApi.OpenAPISecurityScheme> = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An API key, or a user's token (POST /auth/issue-token) for what its scopes allow."
  },
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
    schema: { type: "string", minLength: 1, maxLength: longestKey, pattern: keyPattern },
    description: "With the same key and path, the first response is replayed and nothing runs again."
  },
  {
    name: "x-idempotency-expiration",
    in: "header",
    required: false,
    schema: { type: "string" },
    description: "Until when the key holds: ISO 8601, epoch ms or s; 25 hours at least and by default, a year at most."
  }
]

const dryRun: OpenApi.OpenAPISpecParameter = {
  name: "Tidings-Dry-Run",
  in: "header",
  required: false,
  schema: { type: "string", enum: ["true", "false"] },
  description: "With `true` nothing is stored or sent, and the 200 says what would become of it."
}

/** Headers of a POST. */
const headersOf = (path: string): ReadonlyArray<OpenApi.OpenAPISpecParameter> =>
  path === "/send" ? [...idempotency, dryRun] : idempotency

/** Operations that declare a 409 of their own, such as `get /path/:id`. */
const conflicting = new Set<string>()
/** Operations whose body may be left out: it is read as `null`. */
const bodiless = new Set<string>()
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, errors }) => {
    const name = `${endpoint.method.toLowerCase()} ${endpoint.path}`
    if (errors.has(409)) conflicting.add(name)
    const bodies = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
    if (bodies.some(({ ast }) => ast._tag === "Null")) bodiless.add(name)
  }
})

const isOneOf = (operations: ReadonlySet<string>, method: string, path: string): boolean =>
  operations.has(`${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`)

const limited: ReadonlySet<string> = new Set(Object.values(routes))

const isLimited = (method: string, path: string): boolean =>
  limited.has(`${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, ":id")}`)

const conflicts = (method: string, path: string): boolean => method === "post" || isOneOf(conflicting, method, path)

const hasBody = (method: string): boolean => ["post", "put", "patch"].includes(method)

/**
 * Statuses to leave out of an operation's description: unless the endpoint declares it itself, a 409 comes only of an
 * idempotency key; 413 and 415 come only of a body, a 429 only where requests are limited.
 */
const others = (method: string, path: string): ReadonlyArray<number> => [
  ...(conflicts(method, path) ? [] : [409]),
  ...(hasBody(method) ? [] : [413, 415]),
  ...(isLimited(method, path) ? [] : [429])
]

/** The body of an operation that has one, whether it may be left out, and an example of it. */
const bodyOf = (path: string, method: string, { requestBody }: OpenApi.OpenAPISpecOperation) => {
  if (requestBody === undefined) return {}
  const example = Examples.bodies[`${method} ${path}`]
  const json = requestBody.content["application/json"]
  return {
    requestBody: {
      ...requestBody,
      ...(isOneOf(bodiless, method, path) ? { required: false } : {}),
      ...(example === undefined || json === undefined
        ? {}
        : { content: { ...requestBody.content, "application/json": { ...json, example } } })
    }
  }
}

const operation = (
  path: string,
  method: string,
  described: OpenApi.OpenAPISpecOperation
) => ({
  ...described,
  ...bodyOf(path, method, described),
  security,
  parameters: method === "post" ? [...described.parameters, ...headersOf(path)] : described.parameters,
  responses: Object.fromEntries(
    Object.entries(described.responses).filter(([status]) => !others(method, path).includes(Number(status)))
  )
})

const paths = (described: Record<string, Record<string, OpenApi.OpenAPISpecOperation>>) =>
  Object.fromEntries(
    Object.entries(described).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, found]) => [method, operation(path, method, found)]))
    ])
  )

/**
 * Adds to the generated OpenAPI document what comes before the endpoints: the ways to authenticate and the idempotency
 * headers; and examples. Its schemas become what generators of clients take.
 */
export const document = (spec: Parameters<OpenApi.Transform["Service"]>[0]) =>
  Schemas.tidied({
    ...spec,
    paths: paths(spec["paths"]),
    components: { ...spec["components"], securitySchemes },
    security
  })
