import { Schema } from "effect"

/**
 * One environment of one workspace: of the first workspace, 1 is production and 2 is test. Every stored row carries its
 * scope, and every query names it (P10).
 */
export const Scope = Schema.Int.check(Schema.isGreaterThan(0)).pipe(Schema.brand("Scope"))
export type Scope = typeof Scope.Type

export const Environment = Schema.Literals(["production", "test"])
export type Environment = typeof Environment.Type

/** Each workspace has two consecutive scopes: production, then test. */
export const environmentOf = (scope: Scope): Environment => scope % 2 === 1 ? "production" : "test"

/** Which snapshot of a template a key renders: the live version or the current draft (spec.md, Authentication). */
export const KeyState = Schema.Literals(["published", "draft"])
export type KeyState = typeof KeyState.Type
