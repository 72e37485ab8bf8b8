import { createTransport } from "nodemailer"
import * as Mails from "./Mails.ts"

// The pool that nodemailer's documentation recommends for volume, with an explicit envelope like ours.
const transport = createTransport({
  pool: true,
  host: "127.0.0.1",
  port: Mails.port,
  ignoreTLS: true,
  maxConnections: Mails.connections,
  maxMessages: 100
})

await Mails.measure((first, count) => {
  let next = first
  const send = async () => {
    while (next < first + count) {
      const { html, subject, text, to, token } = Mails.mailOf(next++)
      const from = "news@sender.test"
      const messageId = `<${token.replaceAll(":", ".")}@sender.test>`
      await transport.sendMail({ from, to, subject, text, html, messageId, envelope: { from, to: [to] } })
    }
  }
  return Promise.all(Array.from({ length: Mails.inFlight }, send))
})
transport.close()
