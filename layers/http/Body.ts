import { guard } from "#layers/http/body/BodyGuard.ts"
import { PayloadTooLarge, UnsupportedMediaType } from "#schemas/api/Errors.ts"
import { Layer } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

/** Applies the body guard after authentication: nothing is read for a caller without a key. */
export class Body extends HttpApiMiddleware.Service<Body>()("tidings/http/Body", {
  error: [PayloadTooLarge, UnsupportedMediaType]
}) {}

export const layer = Layer.succeed(Body, (endpoint) => guard(endpoint))
