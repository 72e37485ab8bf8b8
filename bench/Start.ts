import * as Load from "./Load.ts"
import { scratchPath } from "./Process.ts"
import { atMost, type Line, measured, type Question } from "./Report.ts"
import * as Target from "./Target.ts"

/** Modules compiled by an earlier start are read from here, as `npm start` does. */
const env = { NODE_COMPILE_CACHE: scratchPath("compiled") }

/** How soon after its start is an embedded server ready: after a clean stop, and after it was killed? */
export const start: Question = async (quick) => {
  const directory = scratchPath("embedded")
  const use = (target: Target.Target, seconds: number) =>
    Load.run({ url: target.url, apiKey: target.apiKey, clients: 16, seconds, recipients: 500 })

  const first = await Target.tidings({ directory }, [], env)
  Target.sound("Tidings", await use(first, quick ? 1 : 3))
  await first.stop()

  const times: Record<"clean" | "killed", Array<number>> = { clean: [], killed: [] }
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const afterStop = await Target.tidings({ directory }, [], env)
    times.clean.push(afterStop.readyMillis)
    // Killed while it accepts: the clients lose their connections, which is no failure of this run.
    const load = use(afterStop, quick ? 1 : 3)
    setTimeout(() => void afterStop.stop("SIGKILL"), quick ? 500 : 2000)
    await load
    const afterKill = await Target.tidings({ directory }, [], env)
    times.killed.push(afterKill.readyMillis)
    await afterKill.stop()
  }
  const line = (what: string, times: ReadonlyArray<number>, wanted: number): Line => {
    const time = measured("start", what, times, "ms")
    return { ...time, goal: atMost(time.value, wanted) }
  }
  return [
    { question: "start", what: "ready on an empty directory", value: first.readyMillis, unit: "ms" },
    line("ready after a clean stop", times.clean, 2000),
    line("ready after kill -9", times.killed, 3500)
  ]
}
