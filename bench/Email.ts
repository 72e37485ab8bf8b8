import * as Ports from "#test/support/Ports.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { userInfo } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as Process from "./Process.ts"
import { pairwise, rounds, spread } from "./Ratio.ts"
import { atLeast, type Line, type Question } from "./Report.ts"

const peerFile = (name: string) => fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url))

/**
 * BENCH_SMTP_SINK: the folder into which Debian's package `postfix` was unpacked, whose `smtp-sink` costs least.
 * Without it, a sink in JavaScript is used.
 */
const unpacked = process.env["BENCH_SMTP_SINK"]

const spawnSink = (port: number): ChildProcess =>
  unpacked === undefined
    ? spawn(process.execPath, [peerFile("SmtpSink")], {
      env: { ...process.env, BENCH_SMTP_PORT: String(port) },
      stdio: "ignore"
    })
    : spawn(join(unpacked, "usr/sbin/smtp-sink"), ["-u", userInfo().username, `127.0.0.1:${port}`, "1000"], {
      env: { ...process.env, LD_LIBRARY_PATH: join(unpacked, "usr/lib/postfix") },
      stdio: "ignore"
    })

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port })
    socket.once("data", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false)).once("close", () => resolve(false))
  })

const withSink = async <A>(use: (port: number) => Promise<A>): Promise<A> => {
  const port = await Ports.free()
  const sink = spawnSink(port)
  let fault: string | undefined
  sink.once("error", (error) => fault = error.message).once("exit", (code) => fault ??= `it ended with ${code}`)
  const kill = () => sink.kill("SIGKILL")
  process.once("exit", kill)
  try {
    for (let tries = 0; !await answers(port); tries++) {
      if (fault !== undefined || tries === 500) throw new Error(`no mail sink: ${fault ?? "it does not answer"}`)
      await sleep(20)
    }
    return await use(port)
  } finally {
    process.off("exit", kill)
    if (fault === undefined) {
      const gone = once(sink, "exit")
      kill()
      await gone
    }
  }
}

/** How many messages a second does the SMTP provider hand over, beside nodemailer's pool of as many connections? */
export const email: Question = (quick) =>
  withSink(async (port) => {
    const env = { BENCH_SMTP_PORT: String(port), BENCH_MAILS: String(quick ? 500 : 5000) }
    const rate = (name: string) => async () => {
      const { rate } = await Process.answer(peerFile(name), env) as { readonly rate: number }
      return rate
    }
    const rates = await rounds(quick ? 1 : 5, { ours: rate("SmtpProvider"), nodemailer: rate("NodemailerPool") })
    const note = unpacked === undefined ? "against smtp-server" : "against smtp-sink"
    const line = (what: string, values: ReadonlyArray<number>): Line => {
      const measured = spread(values)
      return { question: "email", what, value: measured.median, unit: "/s", spread: measured, note }
    }
    const ratio = pairwise(rates.ours, rates.nodemailer)
    return [
      line("the SMTP provider", rates.ours),
      line("nodemailer's pool", rates.nodemailer),
      {
        question: "email",
        what: "ratio to nodemailer's pool",
        value: ratio.median,
        unit: "×",
        spread: ratio,
        goal: atLeast(ratio.median, 0.85)
      }
    ]
  })
