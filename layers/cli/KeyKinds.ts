import type { Environment, KeyState } from "#schemas/Scope.ts"

/** What a key opens, by how it begins. */
export const keyKinds = {
  pk_prod: ["production", "published"],
  dk_prod: ["production", "draft"],
  pk_test: ["test", "published"],
  dk_test: ["test", "draft"]
} as const satisfies Record<string, readonly [Environment, KeyState]>
export type KeyKind = keyof typeof keyKinds
