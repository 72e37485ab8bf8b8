import { at, type Scenario } from "#test/certify/Scenario.ts"
import * as Checks from "#test/certify/Checks.ts"
import * as Drain from "#test/crash/Drain.ts"
import { requestIdOf } from "#test/crash/OpenLoop.ts"
import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as WireProxy from "#test/support/WireProxy.ts"
import { Effect, Exit, Scope } from "effect"

/** Where in the life of a message its process dies. */
const names = [
  "before the accept commits",
  "after the accept commits",
  "when the provider is called",
  "when it has answered"
]

/** The process dies at named points, once at each, and a restart finishes what was begun. */
export const points: Scenario = (setting) =>
  at(setting, async (direct) => {
    const scope = await Effect.runPromise(Scope.make())
    const url = direct.databaseUrl === undefined ? undefined : new URL(direct.databaseUrl)
    const proxy = url === undefined
      ? undefined
      : await Effect.runPromise(
        WireProxy.start({ host: url.hostname, port: Number(url.port) }).pipe(Scope.provide(scope))
      )
    if (url !== undefined && proxy !== undefined) url.port = String(proxy.port)
    const place = { ...direct, databaseUrl: url?.href }
    const caller = Caller.make(place.port)
    const sent: Array<string> = []
    let slowest = 0
    let server = CrashProcess.start(place)
    await server.ready()
    const again = async () => {
      server = CrashProcess.start(place)
      slowest = Math.max(slowest, await server.ready())
    }
    const send = async (name: string) => requestIdOf(await caller.insist("/send", name, Caller.toEmail(name)))
    const rounds = Math.max(1, Math.round(setting.seconds / 20))
    for (let round = 0; round < rounds; round++) {
      if (proxy !== undefined) {
        for (const cut of ["before", "after"] as const) {
          const key = `point-${cut}-${round}`
          const reached = proxy.holdAt(cut, key)
          const answer = send(key)
          await reached
          await server.kill()
          await again()
          sent.push(await answer)
        }
      }
      for (const point of ["called", "replied"]) {
        sent.push(await send(`point-${point}-${round}`))
        await server.ended
        await again()
      }
    }
    await Drain.untilClosed(caller, 60_000)
    server.signal("SIGTERM")
    await server.ended
    caller.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    const died = proxy === undefined ? names.slice(2) : names
    return Checks.verdict({
      scenario: setting.name,
      place: direct,
      sent: sent.map((id) => ({ id, chain: undefined })),
      slowestRecovery: slowest,
      note: `${rounds} × ${died.join(", ")}`
    })
  })
