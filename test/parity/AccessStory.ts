import { requests } from "#test/parity/ManyStory.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import { UserId } from "#schemas/Profile.ts"
import { SuppressionReason } from "#schemas/Suppression.ts"
import type { TokenWrite } from "#schemas/DeviceToken.ts"
import { Idempotency } from "#src/access/Idempotency.ts"
import { RateLimits } from "#src/access/RateLimits.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Journal, type Step } from "#src/delivery/Journal.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { type Address, Suppressions } from "#src/people/Suppressions.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { type Command, ids, pages, type Story } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import { Clock, Effect } from "effect"

const maybe = <A>({ below }: Chooser, value: () => A): A | undefined => below(2) === 0 ? undefined : value()
const users = ["a", "A", "é", "e\u0301"].map((id) => UserId.make(id))
const user = ({ below }: Chooser) => users[below(users.length)] ?? Fixture.user

/** Devices, keys, counters, inboxes, suppressed addresses, and requests to many. */
export const access: Story = (place) => {
  const { scope } = place
  let made = 0
  const say = (said: unknown, run: Command["run"]): Command => ({ said, run })

  const devices = (c: Chooser): Command => {
    const [who, token] = [user(c), c.from(["t", "T", "é", " t", "\u{1f984}", "\uffee", "x".repeat(300)])]
    const write: TokenWrite = {
      provider_key: c.from(["apn", "expo"]),
      // Far off: `reachable` is read by a fiber of the store's own, which no test's clock reaches.
      expiry_date: c.from([undefined, null, false, 1_000, place.at + 1e9]),
      device: c.from([undefined, null, { app_id: "a\u0000" }]),
      properties: c.from([undefined, null, "\ud800", { a: [1, null] }]),
      tracking: c.from([undefined, null, { ip: "1.2.3.4" }])
    }
    const other = c.from(["t", "\uffee", "\u{1f984}", token])
    const ops: ReadonlyArray<PatchOperation> = Array.from({ length: c.below(3) }, () =>
      c.from<PatchOperation>([
        { op: "replace", path: "/status", value: "revoked" },
        { op: "replace", path: "status", value: "active" },
        { op: "add", path: "/status_reason", value: c.from(["é", "", null, 1]) },
        { op: "replace", path: "/token", value: "other" },
        { op: "remove", path: "/expiry_date" },
        { op: "remove", path: "/device" },
        { op: "add", path: "/properties", value: c.from([null, "x", {}]) },
        { op: "remove", path: "/provider_key" },
        { op: "test", path: "/status", value: "active" }
      ]))
    return c.from([
      () => say(["tokens", who], DeviceTokens.use((_) => _.list(scope, who))),
      () => say(["token", who, token], DeviceTokens.use((_) => _.get(scope, who, token))),
      () =>
        say(
          ["register", who, token, other, write],
          DeviceTokens.use((_) => _.register(scope, who, [{ token, write }, { token: other, write }]))
        ),
      () => say(["register", who, token, write], DeviceTokens.use((_) => _.register(scope, who, [{ token, write }]))),
      () => say(["patch", who, token, ops], DeviceTokens.use((_) => _.patch(scope, who, token, ops))),
      () => say(["remove", who, token], DeviceTokens.use((_) => _.remove(scope, who, token))),
      () => say(["reachable", who], DeviceTokens.use((_) => _.reachable(scope, who))),
      () =>
        say(
          ["invalidate", write.provider_key, token],
          DeviceTokens.use((_) => _.invalidate(scope, write.provider_key, token, "é"))
        )
    ])()
  }

  const keys = (c: Chooser): Command => {
    const lasts = c.from([-1, 0, 1, 5, 100])
    const [path, value, status, body] = [
      c.from(["/send", "/Send"]),
      c.from(ids.slice(0, 12) as never) as string,
      c.from([200, 400, 500]),
      c.from(["b", "é", ""])
    ]
    const key = Effect.map(
      Clock.currentTimeMillis,
      (now) => Fixture.key(place, { path, value, expiresAt: now + lasts })
    )
    const operation = Profiles.use((_) => _.replace(scope, users[0] ?? Fixture.user, { body })).pipe(
      Effect.as(Fixture.response(body, status))
    )
    const limit = 1 + c.below(3)
    const [name, of] = [c.from(["lists", "resends"] as const), c.from([undefined, value, ""])]
    const rule = of === undefined ? { name, limit } : { name, limit, of }
    return c.from([
      () =>
        say(
          ["once", path, value, status, lasts],
          Effect.flatMap(key, (key) => Idempotency.use((_) => _.once(key, operation)))
        ),
      () => say(["find", path, value], Effect.flatMap(key, (key) => Idempotency.use((_) => _.find(key)))),
      () => say(["sweep", limit], Idempotency.use((_) => _.sweep(limit))),
      () => say(["left"], Profiles.use((_) => _.find(scope, users[0] ?? Fixture.user))),
      () => say(["take", name, of], RateLimits.use((_) => _.take(scope, rule)))
    ])()
  }

  const inbox = (c: Chooser): Command => {
    const [who, limit, lasts] = [user(c), c.from([1, 2, 100]), c.from([undefined, 0, 1, 10])]
    const at = place.at + c.below(5)
    const message = Fixture.message(place, { id: Ids.make(at, new Uint8Array(11).fill(++made)), enqueuedAt: at })
    const [tenantId, again] = [maybe(c, () => "é"), c.below(2)]
    return c.from([
      () => say(["inbox", who, limit], pages((cursor) => Inbox.use((_) => _.list(scope, who, { limit, cursor })))),
      () =>
        say(
          ["deliver", who, message.id, lasts],
          Effect.gen(function*() {
            const journal = yield* Journal
            const { epoch } = yield* journal.take(place.shard, "node", place.at)
            yield* journal.accept(Fixture.acceptance(place, [{ ...message, requestId: message.id }]))
            const createdAt = yield* Clock.currentTimeMillis
            const inbox = {
              userId: who,
              tenantId,
              rendered: Fixture.rendered("\ud800"),
              createdAt: createdAt - again,
              expiresAt: lasts === undefined ? undefined : createdAt + lasts
            }
            const step: Step = Fixture.step(message, epoch, {
              lifecycle: ["Send"],
              dueAt: null,
              inbox,
              attempt: Fixture.attempt(1, "accepted")
            })
            yield* journal.record(step)
            yield* journal.record(step)
          })
        ),
      () => say(["sweep inbox", limit], Effect.repeat(Inbox.use((_) => _.sweep(limit)), { while: (gone) => gone > 0 }))
    ])()
  }

  const suppressed = (c: Chooser): Command => {
    const mail = (address: string): Address => ({ channel: "email", address })
    const one = () =>
      c.from<Address>([
        mail("a@x.test"),
        mail("é@x.test"),
        mail("\u{1f984}@x.test"),
        mail("\uffee@x.test"),
        { channel: "sms", address: "+4915112345678" }
      ])
    const [limit, channel] = [c.from([1, 2, 100]), c.from(["email", "sms", undefined] as const)]
    const reason = c.from(SuppressionReason.literals)
    const suppressing = () => ({
      ...one(),
      reason: c.from(SuppressionReason.literals),
      provider: maybe(c, () => "é"),
      detail: maybe(c, () => "'\\ {NULL}"),
      at: maybe(c, () => c.below(4) * 1_000)
    })
    return c.from([
      () => {
        const all = Array.from({ length: c.below(4) }, suppressing)
        return say(["suppress", all], Suppressions.use((_) => _.add(scope, all)))
      },
      () => {
        const of = one()
        return say(
          ["suppressed", of],
          Effect.all([
            Suppressions.use((_) => _.reason(scope, of)),
            Effect.result(Suppressions.use((_) => _.get(scope, of)))
          ])
        )
      },
      () => {
        const of = one()
        return say(["free", of], Suppressions.use((_) => _.remove(scope, of)))
      },
      () =>
        say(
          ["suppressions", limit, channel, reason],
          Effect.all([undefined, reason].map((reason) =>
            pages((cursor) => Suppressions.use((_) => _.list(scope, { limit, cursor, channel, reason })))
          ))
        )
    ])()
  }

  const many = requests(place)
  return (c) => c.from([devices, keys, inbox, suppressed, many, many])(c)
}
