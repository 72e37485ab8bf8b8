import { inWords } from "#layers/http/Refusal.ts"
import { OutputNotFound } from "#src/reports/OutputParts.ts"
import type { HttpRouter } from "effect/http"
import { HttpApiError } from "effect/http-api"

type Params = HttpRouter.RouteContext["Service"]["params"]

/** Paths with a parameter that must be one of a few names, and the refusal of any other name. */
const paths: ReadonlyMap<string, (params: Params) => OutputNotFound> = new Map([[
  "/messages/:message_id/output/:output_id/:part",
  ({ message_id: id = "", output_id: outputId = "", part = "" }) => new OutputNotFound({ id, outputId, part })
]])

/**
 * The refusal of a path with an unknown name: it is not found (404) rather than malformed (400). `undefined` for any
 * other error.
 */
export const missing = (error: unknown, path: string, params: Params) => {
  const refuse = HttpApiError.HttpApiSchemaError.is(error) && error.kind === "Params" ? paths.get(path) : undefined
  return refuse === undefined ? undefined : inWords(refuse(params))
}
