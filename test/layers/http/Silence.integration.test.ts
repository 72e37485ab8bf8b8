import { SecretKey } from "#src/access/SecretKey.ts"
import { Scope } from "#schemas/Scope.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { UserId } from "#schemas/Profile.ts"
import * as PreferenceLinks from "#src/people/PreferenceLinks.ts"
import * as Tracking from "#src/reports/Tracking.ts"
import { bodyOf, endpoints, filled, nobody } from "#test/layers/http/Bodies.ts"
import { message } from "#test/layers/http/Server.ts"
import * as BehindProxy from "#test/support/BehindProxy.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"

const secret = "silencesilencesilencesilencesilencesilence"
const apiKey = `pk_prod_${secret}`
const bytes = new Uint8Array(32).fill(7)

/** The whole product, with a network to its database that can fall silent. */
const started = BehindProxy.start({
  TIDINGS_BOOTSTRAP_SECRET: secret,
  TIDINGS_SECRET_KEY: Buffer.from(bytes).toString("base64")
})

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** How a caller was answered; status 0: not at all. */
interface Told {
  readonly asked: string
  readonly status: number
  readonly retryAfter: string | null
  readonly ms: number
}

/** A caller waits no longer than this, in ms: the 2.5 s of reliability.md 2.6, and one more for a busy machine. */
const longest = 3_500

const ask = (origin: string, credential: string) => ({ body, headers, method, path }: Asked): Effect.Effect<Told> =>
  Effect.promise(async () => {
    const began = performance.now()
    const told = (status: number, retryAfter: string | null): Told => ({
      asked: `${method} ${path} ${JSON.stringify(headers ?? {})}`,
      status,
      retryAfter,
      ms: Math.round(performance.now() - began)
    })
    try {
      const response = await fetch(`${origin}${path}`, {
        method,
        signal: AbortSignal.timeout(4 * longest),
        headers: {
          authorization: `Bearer ${credential}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      await response.text()
      return told(response.status, response.headers.get("retry-after"))
    } catch {
      return told(0, null)
    }
  })

/** How many callers ask at the same time. */
const together = 40

const askAll = (origin: string, credential: string, all: ReadonlyArray<Asked>) =>
  Effect.forEach(all, ask(origin, credential), { concurrency: together })

const isInTime = ({ ms }: Told): boolean => ms <= longest
const isAway = (told: Told): boolean => told.status === 503 && /^\d+$/.test(told.retryAfter ?? "") && isInTime(told)

const every: ReadonlyArray<Asked> = endpoints.map(({ method, path }) => {
  const body = bodyOf(method, path)
  return { method, path: filled(path, nobody), ...(body === undefined ? {} : { body }) }
})

/** What is answered without the database, for a caller who is known. */
const ofNoStore = new Set(["POST /auth/issue-token", "GET /providers/catalog"])
const needsStore = ({ headers, method, path }: Asked): boolean =>
  headers?.["idempotency-key"] !== undefined || !ofNoStore.has(`${method} ${path}`)

const keyed = every.filter(({ method }) => method === "POST").map((asked, index) => ({
  ...asked,
  headers: { "idempotency-key": `key ${index}` }
}))

const dry: Asked = { method: "POST", path: "/send", body: message(), headers: { "tidings-dry-run": "true" } }

const usersMessages: ReadonlyArray<Asked> = ["", "/history", "/output"].map((part) => ({
  method: "GET",
  path: `/messages/${nobody.id}${part}`
}))

/** Routes beside the API, which need no key. */
const beside = Effect.gen(function*() {
  const links = yield* Tracking.OpenLinks
  const tokens = yield* PreferenceLinks.tokens
  const opened = links?.(Scope.make(1), MessageId.make(nobody.id)).openTrackingId ?? ""
  const reader = { scope: Scope.make(1), userId: UserId.make("ada"), tenantId: undefined }
  const pages = [
    `/t/unsubscribe/${tokens.unsubscribe({ ...reader, topicId: "pt_none" })}`,
    `/t/preferences/${tokens.preferences(reader)}`
  ]
  return [
    { method: "GET", path: `${Tracking.openPath}/${opened}` },
    { method: "POST", path: "/callbacks/pc_none", body: {} },
    ...pages.flatMap((path) => ["GET", "POST"].map((method) => ({ method, path })))
  ]
}).pipe(
  Effect.provide(Tracking.layerLinks),
  Effect.provideService(SecretKey, SecretKey.of({ bytes: Redacted.make(bytes) }))
)

const Issued = Schema.Struct({ token: Schema.String })

const issued = (origin: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${origin}/auth/issue-token`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ scope: "user_id:ada read:messages", expires_in: "1h" })
    })
    return Schema.decodeUnknownSync(Issued)(await response.json()).token
  })

describe("P1: a database that falls silent: a caller is told within 2.5 s when to ask again", () => {
  it.live(
    "whatever the route, and whether the caller is known or not",
    () =>
      Effect.gen(function*() {
        const { proxy, untilReady, url: origin } = yield* started

        proxy.freeze()
        const looked = yield* askAll(origin, apiKey, [...every, { method: "GET", path: "/cluster" }])
        proxy.heal()
        yield* untilReady
        const token = yield* issued(origin)
        proxy.freeze()
        const known = [...every, ...keyed, dry, ...(yield* beside)]
        const read = yield* askAll(origin, apiKey, known.filter(needsStore))
        const others = yield* askAll(origin, apiKey, known.filter((asked) => !needsStore(asked)))
        const ofUser = yield* askAll(origin, token, usersMessages)
        assert.deepStrictEqual(
          {
            "a key that must be looked up": looked.filter((told) => !isAway(told)),
            "a key that is known": read.filter((told) => !isAway(told)),
            "a user's token": ofUser.filter((told) => !isAway(told)),
            "what needs no store": others.filter(({ status }) => status !== 200)
          },
          {
            "a key that must be looked up": [],
            "a key that is known": [],
            "a user's token": [],
            "what needs no store": []
          }
        )
        proxy.heal()
      }),
    240_000
  )
})
