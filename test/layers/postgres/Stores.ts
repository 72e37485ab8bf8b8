import * as Invalidations from "#layers/postgres/Invalidations.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as Stores from "#layers/postgres/Stores.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TenantPreferences from "#src/people/TenantPreferences.ts"
import { NodeCrypto } from "@effect/platform-node"
import { Layer, Redacted } from "effect"

export const secretKey = (fill: number) =>
  Layer.succeed(SecretKey, SecretKey.of({ bytes: Redacted.make(new Uint8Array(32).fill(fill)) }))

/** Every store that the contract suites ask for, over a database of any kind that the caller gives. */
export const layer = TenantPreferences.layer.pipe(
  Layer.provideMerge(Stores.layer),
  Layer.provide([Invalidations.layer, Migrations.layer, NodeCrypto.layer, secretKey(7)])
)
