import { Schema } from "effect"

/**
 * The environment of one workspace that a row belongs to: 1 production, 2 test of the first workspace. Every stored row carries it and
 * every query names it (P10).
 */
export const Scope = Schema.Int.check(Schema.isGreaterThan(0)).pipe(Schema.brand("Scope"))
export type Scope = typeof Scope.Type

export const Environment = Schema.Literals(["production", "test"])
export type Environment = typeof Environment.Type

/** Each workspace has two scopes, one after the other: production, then test. */
export const environmentOf = (scope: Scope): Environment => scope % 2 === 1 ? "production" : "test"

/** Which snapshot of a template a key renders: the live version or the current draft (spec.md, Authentication). */
export const KeyState = Schema.Literals(["published", "draft"])
export type KeyState = typeof KeyState.Type
