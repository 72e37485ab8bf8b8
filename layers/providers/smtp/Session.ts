import { faultCode } from "#layers/outbound/FaultCode.ts"
import type { Composed } from "#layers/providers/smtp/Compose.ts"
import { dial, type Guard } from "#layers/providers/smtp/Dial.ts"
import type { Endpoint } from "#layers/providers/smtp/Endpoint.ts"
import { begun, type Fault, refused, silent, type Stage } from "#layers/providers/smtp/Fault.ts"
import type { Progress } from "#layers/providers/smtp/Progress.ts"
import * as Transcript from "#layers/providers/smtp/Transcript.ts"
import { Effect, Redacted } from "effect"
import SMTPConnection, { type SMTPError } from "nodemailer/lib/smtp-connection"
import type { Socket } from "node:net"
import { Readable } from "node:stream"

/** What a server said to a message that it took. */
export interface Receipt {
  /** The Message-ID, when the server gave the message another one. */
  readonly serverMessageId: string | undefined
  /** How many recipients of a copy (cc, bcc) were refused. */
  readonly refusedCopies: number
}

/** nodemailer's own timers count idle time only, ours all of it; so nodemailer's are set out of reach. */
const never = 2 ** 31 - 1

/** Bytes of a message that are handed to the connection at once. */
const piece = 64 * 1024

const unfit = (kind: "ContentRejected" | "Misconfigured", detail: string): Fault => ({ _tag: "Unfit", kind, detail })

const commandStages: Readonly<Record<string, Stage>> = {
  "EHLO": "ehlo",
  "HELO": "ehlo",
  "STARTTLS": "starttls",
  "MAIL FROM": "mail",
  "RCPT TO": "rcpt"
}

const isHttp = /^HTTP\/\d/

/** A session over one connection, opened for the message of `progress`. Its methods are called one after the other. */
const make = (socket: Socket, endpoint: Endpoint, opener: Progress) => {
  let progress = opener
  let stage: Stage = "greeting"
  let hasTransaction = false
  /** Fails the call that is waiting for the server now. */
  let waiting: ((fault: Fault) => void) | undefined

  const enter = (next: Stage) => {
    stage = next
    progress.stage = next
  }
  const transcript = Transcript.make(enter)
  const connection = new SMTPConnection({
    connection: socket,
    host: endpoint.host,
    secure: endpoint.secure,
    requireTLS: endpoint.requireTls && !endpoint.secure,
    ...(endpoint.name === undefined ? {} : { name: endpoint.name }),
    // Explicit, so that no environment variable can switch it off.
    tls: { rejectUnauthorized: true, minVersion: "TLSv1.2", ...(endpoint.ca === undefined ? {} : { ca: endpoint.ca }) },
    connectionTimeout: never,
    greetingTimeout: never,
    socketTimeout: never,
    socketCloseTimeout: 0,
    maxResponseSize: 64 * 1024,
    transactionLog: true,
    logger: transcript.logger
  })

  const faultOf = (error: SMTPError): Fault => {
    if (error.response !== undefined) {
      const named = commandStages[error.command ?? ""] ??
        (error.command?.startsWith("AUTH") === true ? "auth" : undefined)
      const at = named ?? (begun(stage) ? stage : error.command === "DATA" ? "data" : transcript.answered())
      if (at === "greeting" && isHttp.test(error.response)) {
        return unfit("Misconfigured", `${endpoint.host}: an HTTP server answers there, and no mail server`)
      }
      return refused(at, error.response) ?? silent(at, "EPROTOCOL")
    }
    if (error.code === "EAUTH") return unfit("Misconfigured", `${endpoint.host}: the login can not be used here`)
    if (error.code === "EMESSAGE") return unfit("ContentRejected", "The message is larger than the server takes")
    return silent(stage, error.originalCode ?? faultCode(error))
  }
  connection.on("error", (error: SMTPError) => waiting?.(faultOf(error)))
  // nodemailer emits `end` before the error that explains it.
  connection.once("end", () => setImmediate(() => waiting?.(silent(stage, "closed"))))

  const close = () => connection.close()

  const ask = <A>(
    run: (done: (error: SMTPError | null | undefined, value: A) => void, fail: (fault: Fault) => void) => void
  ) =>
    Effect.callback<A, Fault>((resume) => {
      const settle = (effect: Effect.Effect<A, Fault>) => {
        waiting = undefined
        resume(effect)
      }
      const fail = (fault: Fault) => settle(Effect.fail(fault))
      waiting = fail
      run((error, value) => error ? fail(faultOf(error)) : settle(Effect.succeed(value)), fail)
      return Effect.sync(() => {
        waiting = undefined
        close()
      })
    })

  const greet = ask<void>((done) => connection.connect((error) => done(error, undefined)))

  const login = Effect.suspend((): Effect.Effect<unknown, Fault> => {
    if (endpoint.requireTls && !connection.secure) {
      return Effect.fail(unfit("Misconfigured", `${endpoint.host}: the session is not encrypted`))
    }
    if (endpoint.login === undefined) return Effect.void
    if (!connection.secure && !endpoint.clearLogin) {
      return Effect.fail(unfit("Misconfigured", `${endpoint.host}: no password over a session that is not encrypted`))
    }
    if (!connection.allowsAuth) return Effect.fail(unfit("Misconfigured", `${endpoint.host}: no login is offered`))
    const { password, username } = endpoint.login
    return ask((done) => connection.login({ user: username, pass: Redacted.value(password) }, done))
  })

  const deliver = ({ envelope, raw, required }: Composed, of: Progress) =>
    ask<Receipt>((done, fail) => {
      progress = of
      hasTransaction = true
      transcript.begin()
      enter("mail")
      /** The reply to the first required recipient that was not taken. Those of copies say nothing of the message's. */
      const refusal = () => {
        const first = transcript.refusals().find(({ address }) => required.has(address))
        return first && refused("rcpt", first.response)
      }

      let given = 0
      // In pieces, so that its end is reached only when the connection has taken nearly all of it.
      const body = new Readable({
        read: () => {
          // First read when the server has accepted DATA, so this is the last moment to withhold the message.
          const refusedRecipient = given === 0 ? refusal() : undefined
          if (given === 0 && (refusedRecipient !== undefined || of.isCut || !transcript.isInvited())) {
            fail(refusedRecipient ?? silent("data", of.isCut ? "cut" : "EPROTOCOL"))
            close()
            return
          }
          enter("body")
          body.push(raw.subarray(given, given + piece))
          given += piece
          if (given >= raw.length) body.push(null)
        }
      })
      body.once("end", () => {
        enter("final")
        of.bodySent.openUnsafe()
      })
      connection.send({ from: envelope.from, to: [...envelope.to], size: raw.length }, body, (error, info) => {
        // A positive answer before the message's end answers something else.
        if (!error && stage !== "final") return fail(silent(stage, "EPROTOCOL"))
        if (stage === "final") hasTransaction = false
        // Where none is taken, nodemailer's error is about any of them.
        const refusedRecipient = error?.command === "RCPT TO" ? refusal() : undefined
        if (refusedRecipient !== undefined) return fail(refusedRecipient)
        done(error, {
          serverMessageId: info?.serverMessageId,
          refusedCopies: transcript.refusals().length
        })
      })
    })

  return {
    /** Sets up the session: greeting, EHLO, STARTTLS, login. */
    greet: Effect.andThen(greet, login),
    deliver,
    /** Whether another message may follow. */
    isAlive: () => !connection.destroyed && stage !== "body",
    /** Whether a transaction was begun and refused half-way. */
    isDirty: () => hasTransaction,
    /** Resets (RSET) a transaction that was refused half-way. A session on which that fails is as good as dead. */
    reset: ask<unknown>((done) => connection.reset(done)).pipe(
      Effect.mapError(() => silent("mail", "RSET")),
      Effect.tap(() => Effect.sync(() => hasTransaction = false))
    ),
    close,
    /** Sends QUIT; the connection is closed after a second at the latest. */
    quit: Effect.callback<void>((resume) => {
      connection.once("end", () => resume(Effect.void))
      if (connection.destroyed) resume(Effect.void)
      else connection.quit()
    }).pipe(Effect.timeoutOption("1 second"), Effect.ensuring(Effect.sync(close)), Effect.asVoid)
  }
}
export type Session = ReturnType<typeof make>

/** Opens a session that is ready for its first message. If this fails or is interrupted, the connection is closed. */
export const open = (guard: Guard, endpoint: Endpoint, progress: Progress): Effect.Effect<Session, Fault> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      progress.stage = "connect"
      const socket = yield* restore(dial(guard, endpoint))
      const session = make(socket, endpoint, progress)
      progress.stage = "greeting"
      yield* restore(session.greet).pipe(Effect.onError(() => Effect.sync(session.close)))
      return session
    })
  )
