import * as Ports from "#test/support/Ports.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { connect } from "node:net"
import { userInfo } from "node:os"
import { join } from "node:path"
import * as Process from "./Process.ts"
import { rounds } from "./Ratio.ts"
import { measured, type Question, ratio } from "./Report.ts"

/**
 * BENCH_SMTP_SINK: the folder into which Debian's package `postfix` was unpacked, whose `smtp-sink` costs least.
 * Without it, a sink in JavaScript is used.
 */
const unpacked = process.env["BENCH_SMTP_SINK"]

const spawnSink = (port: number): ChildProcess =>
  unpacked === undefined
    ? spawn(process.execPath, [Process.peerFile("SmtpSink")], {
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
  return Process.during("mail sink", spawnSink(port), () => answers(port), () => use(port))
}

/** How many messages a second does the SMTP provider hand over, beside nodemailer's pool of as many connections? */
export const email: Question = (quick) =>
  withSink(async (port) => {
    const env = { BENCH_SMTP_PORT: String(port), BENCH_MAILS: String(quick ? 500 : 5000) }
    const rate = (name: string) => () => Process.rate(Process.peerFile(name), env)
    const rates = await rounds(quick ? 1 : 5, { ours: rate("SmtpProvider"), nodemailer: rate("NodemailerPool") })
    const note = unpacked === undefined ? "against smtp-server" : "against smtp-sink"
    return [
      { ...measured("email", "the SMTP provider", rates.ours), note },
      { ...measured("email", "nodemailer's pool", rates.nodemailer), note },
      ratio("email", "ratio to nodemailer's pool", rates.ours, rates.nodemailer, 0.85)
    ]
  })
