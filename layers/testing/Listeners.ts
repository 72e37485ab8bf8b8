import * as MemoryOutbox from "#layers/memory/webhooks/Outbox.ts"
import type { State } from "#layers/memory/State.ts"
import * as MemoryWebhooks from "#layers/memory/Webhooks.ts"
import * as Cue from "#layers/testing/Cue.ts"
import { environments } from "#layers/testing/Given.ts"
import type { ListenerOptions } from "#layers/testing/ListenerOptions.ts"
import type { Loop, Process } from "#layers/testing/Loop.ts"
import type { Shared } from "#layers/testing/Shared.ts"
import type { Store } from "#layers/testing/Store.ts"
import type { Telling } from "#layers/testing/Telling.ts"
import type { Kind } from "#schemas/DeliveryError.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Outbounds from "#src/delivery/Outbound.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Tellings from "#src/reports/webhooks/Telling.ts"
import { Outbox } from "#src/reports/webhooks/Outbox.ts"
import { Webhooks } from "#src/reports/Webhooks.ts"
import { Clock, Context, Effect, HashMap, Layer, Option, Redacted } from "effect"

/** A listener in one environment. */
interface Installed {
  readonly options: ListenerOptions
  readonly scope: Scope
  readonly secret: string
  calls: number
}

type Answer = Effect.Effect<Outbounds.OutboundResponse, Outbounds.OutboundError>

const unreachable: Cue.Cue = { _tag: "Lose", after: 20, taken: false, proved: true }

// Made once: an error captures the stack where it is made, which is slow.
const refused = new Outbounds.OutboundNotSent({ stage: "connect", detail: "The connection was refused" })
const broken = new Outbounds.OutboundUnknown({ reason: "disconnected", detail: "The connection broke" })
const late = new Outbounds.OutboundUnknown({ reason: "deadline", detail: "There was no answer in time" })

const statuses: Readonly<Record<Kind, number>> = {
  RateLimited: 429,
  Unavailable: 503,
  Misconfigured: 401,
  RecipientRejected: 404,
  ContentRejected: 400,
  Unknown: 500
}

const answerOf = (cue: Cue.Cue, retryAfter: number | undefined): Answer => {
  if (cue._tag === "Lose") return Effect.fail(cue.proved ? refused : broken)
  const headers: Readonly<Record<string, string>> = retryAfter === undefined
    ? {}
    : { "retry-after": `${retryAfter / 1_000}` }
  const status = cue._tag === "Accept" ? 204 : statuses[cue.kind]
  return Effect.succeed({ status, headers, body: "", truncated: false })
}

const waitOf = (cue: Cue.Cue): number | undefined =>
  cue._tag === "Refuse" && (cue.kind === "RateLimited" || cue.kind === "Unavailable") &&
    typeof cue.retryAfter === "number"
    ? Math.ceil(cue.retryAfter / 1_000) * 1_000
    : undefined

const urlOf = ({ options: { name }, scope }: Installed): string => `https://${name}.example.com/${scope}`

/** How many events are to be told by now. */
export const untold = ({ webhooks: { events, webhooks } }: State): number => {
  let count = 0
  for (const [name, mine] of events) {
    const row = Option.getOrUndefined(HashMap.get(webhooks, name))
    if (row === undefined) continue
    for (const event of HashMap.values(mine)) if (MemoryOutbox.isTold(row, event)) count++
  }
  return count
}

/** The servers that are told of events; they record every call that they get. */
export const make = (loop: Loop, services: Context.Context<Shared>, options: ReadonlyArray<ListenerOptions>) => {
  const tellings: Array<Telling> = []
  let underWay = 0
  const installed = environments.flatMap((scope) =>
    options.map((one): Installed => {
      const secret = `whsec_${Buffer.from(`${one.name} of the environment ${scope}`).toString("base64")}`
      return { options: one, scope, secret, calls: 0 }
    })
  )
  const own = Effect.runSync(Effect.scoped(
    Layer.build(Layer.fresh(Layer.merge(MemoryWebhooks.layer, MemoryOutbox.layer))).pipe(
      Effect.provideContext(services)
    )
  ))
  const { create } = Context.get(own, Webhooks)
  Effect.runSync(Effect.provideService(
    Effect.forEach(installed, (one) =>
      create(
        one.scope,
        { url: urlOf(one), types: one.options.types, description: undefined, state: "ENABLED" },
        Redacted.make(one.secret)
      )),
    Clock.Clock,
    loop.process("listeners").clock
  ))

  const cueOf = (one: Installed): Cue.Cue => {
    const { down = [], script = [] } = one.options
    const now = loop.now()
    if (down.some(({ from, until }) => from <= now && now < until)) return unreachable
    return script[one.calls++] ?? Cue.promptly
  }

  /** One call over the network: it arrives even if its caller dies meanwhile. */
  const request = (caller: Process) => ({ body = "", deadlineMs, headers, url }: Outbounds.OutboundRequest): Answer =>
    Effect.callback((resume) => {
      const one = installed.find((listener) => urlOf(listener) === url)
      if (one === undefined) return resume(Effect.fail(refused))
      const cue = cueOf(one)
      const isLate = Cue.duration(cue) > deadlineMs
      const after = Math.min(Cue.duration(cue), deadlineMs)
      const telling: Telling = {
        number: tellings.length,
        node: caller.name,
        listener: one.options.name,
        scope: one.scope,
        secret: one.secret,
        headers,
        body,
        calledAt: loop.now(),
        wall: loop.wall(),
        taken: false,
        heard: undefined,
        heardAt: undefined,
        retryAfter: undefined
      }
      tellings.push(telling)
      underWay++
      loop.after(after / 2, () => {
        telling.taken = Cue.takes(cue)
        loop.trace(`told ${telling.listener} ${telling.scope} ${headers["webhook-id"]} ${telling.taken}`)
        loop.after(after / 2, () => {
          underWay--
          caller.post(() => {
            telling.heardAt = loop.now()
            telling.heard = isLate ? "lost" : Cue.told(cue)
            telling.retryAfter = isLate ? undefined : waitOf(cue)
            resume(isLate ? Effect.fail(late) : answerOf(cue, telling.retryAfter))
          })
        })
      })
    })

  const outbox = Context.get(own, Outbox)
  const log = Context.get(services, MessageLog)

  return {
    tellings,
    /** Calls whose answers have not arrived yet. */
    underWay: () => underWay,
    /** What a node tells them with: what it asks the store for goes over the simulated network. */
    layer: ({ ask }: Store, node: Process): Layer.Layer<Tellings.Telling> =>
      Tellings.layer.pipe(Layer.provide([
        Layer.succeed(Outbounds.Outbound, { request: request(node) }),
        Layer.succeed(Outbox, {
          ...outbox,
          claim: (...args) => ask(node, outbox.claim(...args)),
          settle: (...args) => ask(node, outbox.settle(...args)),
          next: ask(node, outbox.next)
        }),
        Layer.succeed(MessageLog, {
          ...log,
          snapshots: (...args) => ask(node, log.snapshots(...args)),
          history: (...args) => ask(node, log.history(...args))
        })
      ]))
  }
}
