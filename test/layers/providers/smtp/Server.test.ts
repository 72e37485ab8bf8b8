import { cert } from "#test/layers/outbound/TestCertificate.ts"
import { header, start as serve, type Taken } from "#test/support/CapturingSmtp.ts"
import * as Loopback from "#test/support/Loopback.ts"
import { start } from "#test/support/ScriptedSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dkimVerify } from "mailauth"
import { generateKeyPairSync } from "node:crypto"
import { createServer } from "node:net"
import { allowing, delivery, vendor } from "./Deliveries.ts"

const only = (taken: ReadonlyArray<Taken>): Taken => {
  const [first, ...others] = taken
  if (first === undefined || others.length > 0) return assert.fail(`${taken.length} messages`)
  return first
}

describe("SMTP server", () => {
  it.live("a message arrives with its text, its HTML and the bytes of its attachments", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const provider = yield* vendor(server.port, { ca: cert, from_name: "Ada, Countess" })
      const bytes = Buffer.from(Array.from({ length: 3000 }, (_, index) => index % 256))
      const { reference } = yield* provider.send(delivery({
        subject: "Grüße",
        text: "Plain words\n.\nand a dot",
        html: "<p>Rich <b>words</b></p>",
        override: {
          cc: "carol@rcpt.test, \"Doe, Erin\" <erin@rcpt.test>, ",
          bcc: ["dave@rcpt.test"],
          reply_to: { email: "reply@sender.test", name: "Réply" },
          headers: { "X-Campaign": "spring", "List-Unsubscribe": "<https://x.test/u>" },
          body: {
            attachments: [
              { filename: "наш.bin", content: bytes.toString("base64"), encoding: "base64" },
              { filename: "a.txt", content: "plain", contentType: "text/plain" },
              { filename: "a.pdf", content: "JVBERi0=", content_type: "application/pdf" }
            ]
          }
        }
      }))
      const { from, raw, to } = only(server.taken)
      assert.strictEqual(from, "news@sender.test")
      assert.sameMembers([...to], ["bob@rcpt.test", "carol@rcpt.test", "dave@rcpt.test", "erin@rcpt.test"])
      assert.strictEqual(header(raw, "From"), "\"Ada, Countess\" <news@sender.test>")
      assert.strictEqual(header(raw, "To"), "bob@rcpt.test")
      assert.strictEqual(header(raw, "Message-ID"), reference)
      assert.strictEqual(header(raw, "X-Campaign"), "spring")
      assert.notInclude(raw, "dave")
      assert.include(raw, "Plain words\r\n.\r\nand a dot")
      assert.include(raw, "<p>Rich <b>words</b></p>")
      assert.include(raw.replace(/\r\n/g, ""), bytes.toString("base64"))
      assert.match(raw, /filename\*0?\*?=/)
      assert.include(raw, "\r\n\r\nJVBERi0=\r\n")
    }))

  it.live("a message of many pieces arrives whole", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const provider = yield* vendor(server.port, { ca: cert })
      const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251)).toString("base64")
      yield* provider.send(delivery({ override: { attachments: [{ content, encoding: "base64" }] } }))
      assert.isTrue(only(server.taken).raw.replaceAll("\r\n", "").includes(content))
    }))

  it.live("a message that is larger than the server says it takes is the content's fault, and is not begun", () =>
    Effect.gen(function*() {
      const server = yield* start({ extensions: ["SIZE 1000"] })
      const provider = yield* vendor(server.port)
      assert.strictEqual(
        (yield* Effect.flip(provider.send(delivery({ text: "x".repeat(1_000) }))))._tag,
        "ContentRejected"
      )
      assert.notInclude(server.commands.join(), "MAIL")
    }))

  it.live("a login that cannot be used is the operator's to mend, and no message is sent without it", () =>
    Effect.gen(function*() {
      const cases = [
        { extensions: [], password: "secret", told: "no login is offered" },
        { extensions: ["AUTH PLAIN"], told: "the login can not be used here" }
      ]
      for (const { extensions, told, ...login } of cases) {
        const server = yield* start({ extensions })
        const provider = yield* vendor(server.port, { username: "us", ...login })
        const error = yield* Effect.flip(provider.send(delivery()))
        assert.strictEqual(error._tag, "Misconfigured")
        assert.include(error.detail, told)
        assert.notInclude(server.commands.join(), "MAIL")
      }
    }))

  it.live("the reference is the Message-ID that the server gave the message, where it says that it gave another", () =>
    Effect.gen(function*() {
      const id = "<AM0PR01MB1234@AM0PR01MB1234.eurprd01.prod.outlook.com>"
      const server = yield* start({ cues: [{ at: "final", act: { reply: `250 2.0.0 OK ${id} [Hostname=x]` } }] })
      const provider = yield* vendor(server.port)
      assert.strictEqual((yield* provider.send(delivery())).reference, id)
    }))

  it.live("P4: every attempt of a message has one Message-ID, another message another", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const provider = yield* vendor(server.port, { ca: cert })
      for (const token of ["one", "one", "two"]) yield* provider.send(delivery({ token }))
      const [first, second, third] = server.taken.map(({ raw }) => header(raw, "Message-ID"))
      assert.match(first ?? "", /^<[0-9a-f]{40}@sender\.test>$/)
      assert.strictEqual(first, second)
      assert.notStrictEqual(first, third)
    }))

  for (const method of ["PLAIN", "LOGIN"] as const) {
    for (const secure of [true, false]) {
      it.live(`logs in by ${method} over ${secure ? "TLS" : "STARTTLS"}; a wrong password is the operator's`, () =>
        Effect.gen(function*() {
          const server = yield* serve({ secure, authMethods: [method], authOptional: false })
          const settings = { ca: cert, secure, username: "us", require_tls: true }
          const provider = yield* vendor(server.port, { ...settings, password: "right" })
          yield* provider.send(delivery())
          const { secure: encrypted, user } = only(server.taken)
          assert.deepStrictEqual([user, encrypted], ["us", true])
          const locked = yield* vendor(server.port, { ...settings, password: "wrong-and-secret" })
          const error = yield* Effect.flip(locked.send(delivery()))
          assert.strictEqual(error._tag, "Misconfigured")
          assert.notInclude(JSON.stringify(error), "secret")
          assert.deepStrictEqual(server.logins, [`${method} us`, `${method} us`])
        }))
    }
  }

  it.live("a server that speaks no TLS where settings ask for it is the operator's", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const provider = yield* vendor(server.port, { secure: true })
      const error = yield* Effect.flip(provider.send(delivery()))
      assert.strictEqual(error._tag, "Misconfigured", error.detail)
      assert.strictEqual(error.detail, "At greeting: ERR_SSL_WRONG_VERSION_NUMBER")
    }))

  it.live("a web server in the place of a mail server is the operator's, and told by what it is", () =>
    Effect.gen(function*() {
      const web = createServer((socket) => {
        socket.on("error", () => undefined).end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
      })
      const provider = yield* vendor(yield* Loopback.listen(web))
      const error = yield* Effect.flip(provider.send(delivery()))
      assert.strictEqual(error._tag, "Misconfigured", error.detail)
      assert.match(error.detail, /: an HTTP server answers there, and no mail server$/)
    }))

  for (const secure of [true, false]) {
    it.live(`a certificate nobody vouches for is refused over ${secure ? "TLS" : "STARTTLS"}, before a login`, () =>
      Effect.gen(function*() {
        const server = yield* serve({ secure })
        const provider = yield* vendor(server.port, { secure, username: "us", password: "right" })
        const error = yield* Effect.flip(provider.send(delivery()))
        assert.strictEqual(error._tag, "Misconfigured", error.detail)
        assert.deepStrictEqual([server.taken, server.logins], [[], []])
      }))
  }

  it.live("elsewhere than on loopback no message goes unencrypted unless allowed, and no password ever", () =>
    Effect.gen(function*() {
      const server = yield* serve({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true })
      // Reaches this machine, and is no loopback address.
      const host = "0.0.0.0"
      const careful = yield* vendor(server.port, { host })
      assert.strictEqual((yield* Effect.flip(careful.send(delivery())))._tag, "Misconfigured")
      const lax = yield* vendor(server.port, { host, require_tls: false, username: "us", password: "right" })
      assert.strictEqual((yield* Effect.flip(lax.send(delivery())))._tag, "Misconfigured")
      assert.deepStrictEqual([server.taken, server.logins], [[], []])
      const open = yield* vendor(server.port, { host, require_tls: false })
      yield* open.send(delivery())
      assert.isFalse(only(server.taken).secure)
    }))

  for (const type of ["rsa", "ed25519"] as const) {
    it.live(`a signature of ${type} holds, and breaks when a header is added or a word changed`, () =>
      Effect.gen(function*() {
        const pair = type === "rsa"
          ? generateKeyPairSync("rsa", { modulusLength: 2048 })
          : generateKeyPairSync("ed25519")
        const spki = pair.publicKey.export({ type: "spki", format: "der" })
        const published = (type === "rsa" ? spki : spki.subarray(-32)).toString("base64")
        const server = yield* serve()
        const provider = yield* vendor(server.port, {
          ca: cert,
          dkim: {
            domain: "sender.test",
            selector: "s1",
            private_key: pair.privateKey.export({ type: "pkcs8", format: "pem" })
          }
        })
        yield* provider.send(delivery({
          subject: "Grüße  an   alle",
          text: "Two  spaces \t\nand trailing \n\n\n",
          html: "<p>ü</p>",
          override: { cc: "carol@rcpt.test", headers: { "List-Unsubscribe": "<https://x.test/u>" } }
        }))
        const { raw } = only(server.taken)
        const verdict = (message: string) =>
          Effect.promise(() =>
            dkimVerify(Buffer.from(message, "latin1"), {
              resolver: async (name) =>
                name === "s1._domainkey.sender.test" ? [[`v=DKIM1; k=${type}; p=${published}`]] : []
            })
          ).pipe(Effect.map(({ results }) => results.map(({ status }) => status.result)))
        assert.deepStrictEqual(yield* verdict(raw), ["pass"])
        for (
          const name of [
            "From",
            "To",
            "Cc",
            "Reply-To",
            "Subject",
            "Date",
            "Message-ID",
            "MIME-Version",
            "Content-Type",
            "List-Unsubscribe"
          ]
        ) {
          assert.notDeepEqual(yield* verdict(`${name}: x@evil.test\r\n${raw}`), ["pass"], name)
          assert.notDeepEqual(
            yield* verdict(raw.replace("\r\n\r\n", `\r\n${name}: x@evil.test\r\n\r\n`)),
            ["pass"],
            name
          )
        }
        assert.notDeepEqual(yield* verdict(raw.replace("Two", "Six")), ["pass"])
      }))
  }

  it.live("another server is behind the outbound guard and never sees the operator's password", () =>
    Effect.gen(function*() {
      const own = yield* serve()
      const other = yield* start({ extensions: ["AUTH PLAIN"] })
      const elsewhere = { override: { config: { host: "127.0.0.1", port: other.port } } }
      const settings = { ca: cert, username: "us", password: "right" }
      const closed = yield* vendor(own.port, settings)
      assert.strictEqual((yield* Effect.flip(closed.send(delivery(elsewhere))))._tag, "Misconfigured")
      assert.strictEqual(other.connections(), 0)
      const open = yield* vendor(own.port, settings).pipe(allowing("127.0.0.0/8"))
      yield* open.send(delivery(elsewhere))
      assert.strictEqual(other.messages.length, 1)
      assert.notInclude(other.commands, "AUTH")
      assert.deepStrictEqual(own.logins, [])
    }))

  it.live("nothing is said to a peer that is not the address it dialled", () =>
    Effect.gen(function*() {
      const other = yield* start()
      // The kernel turns 0.0.0.0 into 127.0.0.1, which nobody allowed.
      const provider = yield* vendor(25).pipe(allowing("0.0.0.0/32"))
      const elsewhere = { override: { config: { host: "0.0.0.0", port: other.port } } }
      const error = yield* Effect.flip(provider.send(delivery(elsewhere)))
      assert.deepStrictEqual([error._tag, error.detail], ["Misconfigured", "0.0.0.0: loopback address"])
      yield* other.drained
      assert.deepStrictEqual(other.commands, [])
    }))

  it.live("another login on the operator's own server is used for that message alone", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const provider = yield* vendor(server.port, { ca: cert, username: "us", password: "right" })
      yield* provider.send(delivery({ override: { config: { auth: { user: "them", pass: "right" } } } }))
      yield* provider.send(delivery())
      assert.deepStrictEqual(server.taken.map(({ user }) => user), ["them", "us"])
    }))

  for (const extensions of [[], ["PIPELINING"]]) {
    it.live(`nobody gets a copy of what the recipient was refused ${extensions.length > 0 ? "in one batch" : ""}`, () =>
      Effect.gen(function*() {
        const gone = { at: "rcpt", recipient: "gone@rcpt.test", act: { reply: "550 5.1.1 gone" } } as const
        const server = yield* start({ cues: [gone], extensions })
        const provider = yield* vendor(server.port)
        const copies = { override: { cc: "carol@rcpt.test" } }
        const error = yield* Effect.flip(provider.send(delivery({ ...copies, email: "gone@rcpt.test" })))
        assert.strictEqual(error._tag, "RecipientRejected")
        assert.deepStrictEqual([server.messages.length, server.bodyBytes()], [0, 0])
        yield* provider.send(delivery({ override: { cc: ["gone@rcpt.test", "carol@rcpt.test"] } }))
        assert.deepStrictEqual(server.messages.map(({ to }) => to), [["bob@rcpt.test", "carol@rcpt.test"]])
      }))
  }
})
