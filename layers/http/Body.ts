import { guard } from "#layers/http/body/BodyGuard.ts"
import { PayloadTooLarge, UnsupportedMediaType } from "#schemas/api/Errors.ts"
import { Layer } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

/** The body guard in the place where it belongs: nothing is read for a caller without a key. */
export class Body extends HttpApiMiddleware.Service<Body>()("tidings/http/Body", {
  error: [PayloadTooLarge, UnsupportedMediaType]
}) {}

export const layer = Layer.succeed(Body, (endpoint) => guard(endpoint))
