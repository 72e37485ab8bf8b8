import * as Drain from "#test/crash/Drain.ts"
import { requestIdOf } from "#test/crash/OpenLoop.ts"
import * as Caller from "#test/support/Caller.ts"
import type { Answer } from "#test/support/Exchange.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import type { Place } from "#test/support/Places.ts"
import * as Checks from "./Checks.ts"
import * as Load from "./Load.ts"
import * as Machine from "./Machine.ts"
import type { Verdict } from "./Verdict.ts"

/** One server under load. */
export interface One {
  readonly caller: Caller.Caller
  readonly load: Load.Load
  /** The process that runs now. */
  readonly process: () => CrashProcess.CrashProcess
  /** Starts a server where the last one ended; resolves to the ms until it is ready. */
  readonly again: (place?: Place) => Promise<number>
  /**
   * One try of a send, on a connection of its own: those of the load wait for each other's connections, a thousand at a
   * server that is slow to answer. It counts like theirs, and is repeated under its key at the end.
   */
  readonly probe: (key: string) => Promise<Answer | undefined>
  readonly crowd: (crowd: Checks.Crowd) => void
  /** Nothing but kill -9 happens to the server, and it is told here: then no attempt may be unknown but what that cut off. */
  readonly killed: (killed: ReadonlyArray<Checks.Killed>) => void
  readonly breach: (sentence: string) => void
  /** A breach if it took more than `limit` ms, or what that comes to on a machine that has not the time. */
  readonly within: (limit: number, millis: number, sentence: string) => void
  /** A recovery of so many ms. */
  readonly recovered: (millis: number) => void
}

const provider = { CRASH_PROVIDER_MILLIS: "60" }

/** Runs a server at the place under load while `faults` happens to it; then everything is drained, stopped and held against each other. */
export const run = async (
  scenario: string,
  place: Place,
  perSecond: number,
  faults: (one: One) => Promise<Place | void>,
  options: { readonly environment?: Readonly<Record<string, string>> } = {}
): Promise<Verdict> => {
  const environment = { ...provider, ...options.environment }
  const caller = Caller.make(place.port, 128)
  const prober = Caller.make(place.port, 1)
  let server = CrashProcess.start(place, environment)
  await server.ready()
  const load = Load.start([caller], perSecond)
  const slowness = Machine.slownessFromNow()
  const breaches: Array<string> = []
  let slowest = 0
  let many: Checks.Crowd | undefined
  let kills: ReadonlyArray<Checks.Killed> | undefined
  const probes = new Set<string>()
  const moved = await faults({
    caller,
    load,
    process: () => server,
    again: (where = place) => {
      server = CrashProcess.start(where, environment)
      return server.ready()
    },
    probe: (key) => {
      probes.add(key)
      return prober.call("POST", "/send", { key, body: Caller.toEmail(key) })
    },
    crowd: (crowd) => {
      many = crowd
    },
    killed: (killed) => {
      kills = killed
    },
    breach: (sentence) => void breaches.push(sentence),
    within: (limit, millis, sentence) => {
      if (millis > limit * slowness()) breaches.push(`${sentence}: ${Math.round(millis)} ms`)
    },
    recovered: (millis) => {
      slowest = Math.max(slowest, millis)
    }
  })
  const loaded = await load.finish()
  const probed = await Promise.all([...probes].map((key) => caller.insist("/send", key, Caller.toEmail(key))))
  const sent = [...loaded, ...probed.map((answer) => ({ id: requestIdOf(answer), chain: undefined }))]
  // An embedded store delivers a few hundred a second on a busy machine: what it accepted in a burst takes its time.
  await Drain.untilClosed(caller, 120_000 + (many === undefined ? 0 : many.requests.length * many.each * 3)).catch((
    error: unknown
  ) => breaches.push(String(error)))
  server.signal("SIGTERM")
  const { code, output } = await server.ended
  if (code !== 0) breaches.push(`the server ended with ${code}: ${output.slice(-500)}`)
  caller.close()
  prober.close()
  return Checks.verdict({
    scenario,
    place: moved ?? place,
    sent,
    slowestRecovery: slowest,
    crowd: many,
    killed: kills,
    breaches: [...breaches, ...load.strange().map((answer) => `an answer nobody was promised: ${answer}`)],
    slowness: slowness()
  })
}
