import { cert, key } from "#test/layers/outbound/TestCertificate.ts"
import { Effect } from "effect"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

/** A message as the server got it; `raw` is its bytes as characters. */
export interface Taken {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly raw: string
  readonly user: string | undefined
  readonly secure: boolean
}

/** A mail server of another maker, strict where RFC 5321 is, with its own reading of dots and lines. */
export const start = (options: SMTPServerOptions = {}) =>
  Effect.gen(function*() {
    const taken: Array<Taken> = []
    const logins: Array<string> = []
    const server = new SMTPServer({
      key,
      cert,
      authOptional: true,
      onAuth: ({ method, password, username }, _, done) => {
        logins.push(`${method} ${username}`)
        if (password === "right") done(null, { user: String(username) })
        else done(new Error("no"))
      },
      onData: (stream, session, done) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          const { mailFrom, rcptTo } = session.envelope
          taken.push({
            from: mailFrom === false ? "" : mailFrom?.address ?? "",
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString("latin1"),
            user: session.user === undefined ? undefined : String(session.user),
            secure: session.secure
          })
          done()
        })
      },
      ...options
    })
    // Connections of clients that walk away are theirs to end.
    server.on("error", () => undefined)
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
    )
    const address = server.server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { port, taken, logins, open: () => server.connections.size }
  })

/** A header field of a message, unfolded. */
export const header = (raw: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*(?:\r\n[ \t].*)*)`, "im").exec(raw.slice(0, raw.indexOf("\r\n\r\n") + 2))?.[1]
    ?.replace(/\r\n\s+/g, " ").trim()
