import * as Invalidations from "#layers/postgres/notices/Invalidations.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as Stores from "#layers/postgres/Stores.ts"
import * as TenantPreferences from "#src/people/TenantPreferences.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { Layer } from "effect"

/** Every store that the contract suites ask for, over a database of any kind that the caller gives. */
export const layer = TenantPreferences.layer.pipe(
  Layer.provideMerge(Stores.layer),
  Layer.provide([Invalidations.layer, Migrations.layer, NodeCrypto.layer, secretKey(7)])
)
