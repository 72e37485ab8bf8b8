import { KeyState, Scope } from "#schemas/Scope.ts"
import { InvalidKey, type Principal } from "#src/access/ApiKeys.ts"
import type { Grant } from "#src/access/Grant.ts"
import { derive, SecretKey } from "#src/access/SecretKey.ts"
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { jwtVerify, SignJWT } from "jose"

const Claims = Schema.Struct({ scope: Schema.String, environment: Scope, key_state: KeyState })
const decode = Schema.decodeUnknownEffect(Claims)

const issuer = "tidings"
const algorithm = "HS256"
const userPrefix = "user_id:"

/** Whether a credential can be a user's token. API keys begin otherwise. */
export const isToken = (credential: Redacted.Redacted): boolean =>
  /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(Redacted.value(credential))

export const grantOf = (scopes: ReadonlyArray<string>): Grant => ({
  scopes: new Set(scopes),
  userIds: scopes.filter((scope) => scope.startsWith(userPrefix)).map((scope) => scope.slice(userPrefix.length))
})

/**
 * Users' tokens: JWTs (HS256) signed with a key derived from the installation's, and bound to the environment and state
 * of the API key that asked for them. They are not stored, so one cannot be revoked: it ends when it expires.
 */
export class UserTokens extends Context.Service<UserTokens, {
  readonly issue: (principal: Principal, scopes: ReadonlyArray<string>, lifetimeMs: number) => Effect.Effect<string>
  /** Fails with `InvalidKey` if the token is forged, changed or expired. */
  readonly authenticate: (token: Redacted.Redacted) => Effect.Effect<Principal, InvalidKey>
}>()("tidings/UserTokens") {}

export const layer = Layer.effect(
  UserTokens,
  Effect.gen(function*() {
    const key = derive(yield* SecretKey, "user-tokens/sign")

    return UserTokens.of({
      issue: Effect.fnUntraced(function*({ keyState, scope }, scopes, lifetimeMs) {
        const now = yield* Clock.currentTimeMillis
        const seconds = Math.floor(now / 1_000)
        return yield* Effect.promise(() =>
          new SignJWT({ scope: scopes.join(" "), environment: scope, key_state: keyState })
            .setProtectedHeader({ alg: algorithm, typ: "JWT" })
            .setIssuer(issuer)
            .setIssuedAt(seconds)
            .setExpirationTime(Math.floor((now + lifetimeMs) / 1_000))
            .sign(key)
        )
      }),
      authenticate: Effect.fnUntraced(function*(token) {
        const now = yield* Clock.currentTimeMillis
        const currentDate = new Date(now)
        const { payload } = yield* Effect.tryPromise({
          try: () =>
            jwtVerify(Redacted.value(token), key, {
              algorithms: [algorithm],
              issuer,
              requiredClaims: ["exp"],
              currentDate
            }),
          catch: () => new InvalidKey()
        })
        const claims = yield* Effect.mapError(decode(payload), () => new InvalidKey())
        return { scope: claims.environment, keyState: claims.key_state, grant: grantOf(claims.scope.split(" ")) }
      })
    })
  })
)
