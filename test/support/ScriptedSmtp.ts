import * as Loopback from "#test/support/Loopback.ts"
import { Effect, type Scope } from "effect"
import { createServer, type Socket } from "node:net"

/** The points at which the server has something to say. `final` is the answer to the end of the message. */
export const stages = ["greeting", "ehlo", "starttls", "auth", "mail", "rcpt", "data", "final"] as const
export type Stage = (typeof stages)[number]

/** What it does there instead of agreeing: a reply, closing, resetting, silence, or a reply that never ends. */
export type Act = { readonly reply: string } | "close" | "reset" | "hang" | "drip"

export interface Cue {
  readonly at: Stage | "rset" | "quit"
  readonly act: Act
  /** Only for RCPT of this address. */
  readonly recipient?: string
  /** Asked each time the server comes there. */
  readonly when?: () => boolean
}

export interface Options {
  readonly cues?: ReadonlyArray<Cue>
  /** Lines of the EHLO reply after the first; `STARTTLS` and `AUTH` among them are only offered, never done. */
  readonly extensions?: ReadonlyArray<string>
  /** Closes the connection, without a word, after this many messages on it. */
  readonly messagesPerConnection?: number
  /** Reset the connection as soon as the first byte of a message is there. */
  readonly resetInBody?: boolean
}

/** A message as it came over the wire. */
export interface Captured {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Between DATA's reply and the final dot, still stuffed. */
  readonly raw: string
  readonly connection: number
}

export interface ScriptedSmtp {
  readonly port: number
  readonly messages: ReadonlyArray<Captured>
  /** Commands as they came, of all connections; a login is reduced to its verb. */
  readonly commands: ReadonlyArray<string>
  /** Connections ever opened. */
  readonly connections: () => number
  /** Connections open now. */
  readonly open: () => number
  /** Bytes of messages received, whole or not. */
  readonly bodyBytes: () => number
  /** Resolves when every connection is gone. */
  readonly drained: Effect.Effect<void>
}

const agreement: Readonly<Record<Exclude<Stage, "ehlo">, string>> = {
  greeting: "220 scripted ESMTP",
  starttls: "454 4.7.0 no TLS here",
  auth: "235 2.7.0 welcome",
  mail: "250 2.1.0 ok",
  rcpt: "250 2.1.5 ok",
  data: "354 go on",
  final: "250 2.0.0 queued as 4ABC"
}

const stageOf: Readonly<Record<string, Stage>> = {
  EHLO: "ehlo",
  HELO: "ehlo",
  STARTTLS: "starttls",
  AUTH: "auth",
  MAIL: "mail",
  RCPT: "rcpt",
  DATA: "data"
}

/** A mail server on a free loopback port that follows its cues and reads strictly: a line ends in CRLF or is none. */
export const start = (options: Options = {}): Effect.Effect<ScriptedSmtp, never, Scope.Scope> =>
  Effect.gen(function*() {
    const messages: Array<Captured> = []
    const commands: Array<string> = []
    const sockets = new Set<Socket>()
    const drips = new Set<NodeJS.Timeout>()
    let connections = 0
    let bodyBytes = 0
    let onDrained = () => {}

    const serve = (socket: Socket) => {
      const connection = ++connections
      sockets.add(socket)
      socket.setNoDelay(true)
      let buffered = ""
      let inBody = false
      let deaf = false
      let taken = 0
      let envelope: { from: string; to: Array<string> } = { from: "", to: [] }

      const act = (what: Act) => {
        if (typeof what === "object") {
          socket.write(`${what.reply}\r\n`)
          if (what.reply.startsWith("421")) {
            deaf = true
            socket.end()
          }
          return
        }
        deaf = true
        if (what === "close") socket.end()
        if (what === "reset") socket.resetAndDestroy()
        if (what === "drip") {
          let sent = 0
          const text = "250-still thinking\r\n"
          const drip = setInterval(
            () => socket.destroyed ? clearInterval(drip) : socket.write(text.charAt(sent++ % text.length)),
            5
          )
          drips.add(drip)
        }
      }
      const cued = (at: Cue["at"], recipient = ""): Act | undefined =>
        options.cues?.find((cue) =>
          at === cue.at && (cue.recipient === undefined || cue.recipient === recipient) &&
          (cue.when === undefined || cue.when())
        )?.act
      /** The reply at a stage; whether it was the agreeable one. */
      const say = (stage: Stage, recipient = ""): boolean => {
        const given = cued(stage, recipient)
        if (given !== undefined) {
          act(given)
          return typeof given === "object" && /^[23]/.test(given.reply)
        }
        if (stage === "ehlo") {
          const lines = ["scripted", ...options.extensions ?? []]
          socket.write(lines.map((line, index) => `250${index === lines.length - 1 ? " " : "-"}${line}\r\n`).join(""))
        } else socket.write(`${agreement[stage]}\r\n`)
        return true
      }

      const command = (line: string) => {
        const verb = line.split(" ")[0]?.toUpperCase() ?? ""
        commands.push(verb === "AUTH" ? verb : line)
        const path = /<([^>]*)>/.exec(line)?.[1] ?? ""
        const stage = stageOf[verb]
        if (stage === undefined) {
          const given = verb === "RSET" || verb === "QUIT" ? cued(verb === "RSET" ? "rset" : "quit") : undefined
          if (given !== undefined) return act(given)
          if (verb === "RSET") envelope = { from: "", to: [] }
          const others: Readonly<Record<string, string>> = { QUIT: "221 2.0.0 bye", RSET: "250 2.0.0 ok" }
          socket.write(`${others[verb] ?? "500 5.5.1 what"}\r\n`)
          if (verb === "QUIT") socket.end()
          return
        }
        if (stage === "rcpt" && envelope.from === "") return socket.write("503 5.5.1 no sender\r\n")
        if (stage === "data" && envelope.to.length === 0) return socket.write("554 5.5.1 no valid recipients\r\n")
        const agreed = say(stage, path)
        if (!agreed) return
        if (stage === "mail") envelope = { from: path, to: [] }
        if (stage === "rcpt") envelope.to.push(path)
        if (stage !== "data") return
        inBody = true
        bodyBytes += buffered.length
      }

      const body = () => {
        const end = buffered.startsWith(".\r\n") ? 0 : buffered.indexOf("\r\n.\r\n")
        if (end < 0) return false
        const raw = end === 0 ? "" : buffered.slice(0, end + 2)
        buffered = buffered.slice(end === 0 ? 3 : end + 5)
        inBody = false
        if (say("final")) {
          messages.push({ ...envelope, raw, connection })
          taken++
        }
        envelope = { from: "", to: [] }
        if (taken === options.messagesPerConnection) act("close")
        return true
      }

      /** Reads one command or one message; whether there may be more to read. */
      const step = (): boolean => {
        if (inBody) {
          if (options.resetInBody === true && buffered.length > 0) act("reset")
          return !deaf && body()
        }
        const end = buffered.indexOf("\r\n")
        if (deaf || end < 0) return false
        const line = buffered.slice(0, end)
        buffered = buffered.slice(end + 2)
        command(line)
        return true
      }

      socket.on("data", (chunk) => {
        if (deaf) return
        buffered += chunk.toString("latin1")
        if (inBody) bodyBytes += chunk.length
        let goOn = true
        while (goOn) goOn = step()
      })
      socket.on("error", () => undefined).on("close", () => {
        sockets.delete(socket)
        if (sockets.size === 0) onDrained()
      })
      say("greeting")
    }

    yield* Effect.addFinalizer(() => Effect.sync(() => drips.forEach((drip) => clearInterval(drip))))
    const port = yield* Loopback.listen(createServer(serve))
    return {
      port,
      messages,
      commands,
      connections: () => connections,
      open: () => sockets.size,
      bodyBytes: () => bodyBytes,
      drained: Effect.callback<void>((resume) => {
        onDrained = () => resume(Effect.void)
        if (sockets.size === 0) onDrained()
      })
    }
  })
