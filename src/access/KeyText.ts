import type { Environment, KeyState } from "#schemas/Scope.ts"
import { derive, SecretKey } from "#src/access/SecretKey.ts"
import { Effect } from "effect"
import { createHmac, createSecretKey } from "node:crypto"

const environments: Record<Environment, string> = { production: "prod", test: "test" }
const states: Record<KeyState, string> = { published: "pk", draft: "dk" }

/** Characters of the longest secret part of a key. What is longer is no key, and is not looked up. */
export const longestSecret = 512

/** How a key begins, which says what it opens: `pk_prod_`. */
export const prefixOf = (environment: Environment, state: KeyState): string =>
  `${states[state]}_${environments[environment]}_`

/**
 * Makes the digest by which a key is stored and found (P9). The whole key is digested, so a swapped prefix is another
 * key.
 */
export const digesting = Effect.map(SecretKey, (secret) => {
  const pepper = createSecretKey(derive(secret, "api-keys/digest"))
  return (key: string): string => createHmac("sha256", pepper).update(key).digest("hex")
})

/** What a key is called where anybody may read it: its prefix, and the beginning of its digest, which opens nothing. */
export const nameOf = (prefix: string, digest: string): string => prefix + digest.slice(0, 12)
