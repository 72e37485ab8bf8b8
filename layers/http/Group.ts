import { Access } from "#layers/http/Access.ts"
import { Admitted } from "#layers/http/Admitted.ts"
import { Audited } from "#layers/http/Audited.ts"
import { Body } from "#layers/http/Body.ts"
import { Limited } from "#layers/http/Limited.ts"
import { Once } from "#layers/http/Once.ts"
import { Patient } from "#layers/http/Patient.ts"
import { Replies } from "#layers/http/Replies.ts"
import { Context, Effect, Layer, Scope } from "effect"

type Around = Access | Admitted | Audited | Body | Limited | Once | Patient | Replies | Scope.Scope

const around = (context: Context.Context<Around>): Context.Context<Around> =>
  Context.pick(Access, Admitted, Audited, Body, Limited, Once, Patient, Replies, Scope.Scope)(context)

/**
 * A group of endpoints, for which `make` takes the services that it needs. `HttpApiBuilder.group` copies the context in
 * which it is built into each of its requests, so it is given the middlewares alone and not every service of the
 * product.
 */
export const layer = <A, E, R>(make: Effect.Effect<Layer.Layer<A, never, Exclude<Around, Scope.Scope>>, E, R>) =>
  Layer.effectContext(Effect.flatMap(make, (group) => Effect.updateContext(Layer.build(group), around)))
