import { domain } from "#layers/providers/Address.ts"
import type { Mailbox } from "#layers/providers/smtp/Mailbox.ts"
import * as Dkim from "#layers/providers/smtp/Dkim.ts"
import type { Mail } from "#layers/providers/smtp/Mail.ts"
import * as Mime from "#layers/providers/smtp/Mime.ts"
import MailComposer from "nodemailer/lib/mail-composer"
import { encodeWord } from "nodemailer/lib/mime-funcs"
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"

/** A message as the server gets it. The envelope is explicit: it is never read back from the headers. */
export interface Composed {
  readonly envelope: { readonly from: string; readonly to: ReadonlyArray<string> }
  /** Those recipients of the envelope who must all be accepted before any byte of the message is sent. */
  readonly required: ReadonlySet<string>
  readonly raw: Buffer
  /** With its angle brackets. */
  readonly messageId: string
}

const addresses = (...lists: ReadonlyArray<ReadonlyArray<Mailbox>>): ReadonlyArray<string> => [
  ...new Set(lists.flat().map(({ address }) => address))
]

/** No line of a header is longer than 998 bytes (RFC 5322 §2.1.1), and it is folded only at blanks. */
const longestWord = 900

/**
 * A subject of which readers make what it says. nodemailer leaves what looks like an encoded word (RFC 2047) as it is, so
 * that data in a subject could show as something else.
 */
const subjectOf = (text: string): string =>
  text.includes("=?") || text.split(" ").some((word) => word.length > longestWord) ? encodeWord(text, "B", 52) : text

const copy = (list: ReadonlyArray<Mailbox>) => list.map(({ address, name }) => ({ name, address }))

/**
 * Composes the message. The `Message-ID` is the same at every attempt, so that a receiver can deduplicate a second copy
 * (reliability.md 2.5); so are the MIME boundaries.
 */
export const compose = (
  mail: Mail,
  options: { readonly idempotencyToken: string; readonly date: Date; readonly dkim: Dkim.DkimKey | undefined }
): Composed => {
  const identity = createHash("sha256").update(options.idempotencyToken).digest("hex").slice(0, 40)
  const messageId = `<${identity}@${domain(mail.from.address)}>`
  const node = new MailComposer({
    from: copy([mail.from]),
    to: copy(mail.to),
    ...(mail.cc.length === 0 ? {} : { cc: copy(mail.cc) }),
    ...(mail.replyTo.length === 0 ? {} : { replyTo: copy(mail.replyTo) }),
    subject: subjectOf(mail.subject),
    messageId,
    date: options.date,
    // An empty text still makes a part: without it, a message with only attachments would have no text to show.
    text: mail.text === "" ? "\r\n" : mail.text,
    ...(mail.html === "" ? {} : { html: mail.html }),
    headers: mail.headers.map(({ key, value }) => ({ key, value })),
    attachments: mail.attachments.map(({ cid, content, contentType, filename, inline }) => ({
      filename,
      content,
      contentType,
      ...(cid === undefined ? {} : { cid }),
      ...(inline ? { contentDisposition: "inline" } : {})
    })),
    baseBoundary: identity.slice(0, 16),
    disableFileAccess: true,
    disableUrlAccess: true
  }).compile()
  const text = Mime.write(node)
  const plain = Buffer.from(text.endsWith("\r\n") ? text : `${text}\r\n`)
  return {
    envelope: { from: mail.from.address, to: addresses(mail.to, mail.cc, mail.bcc) },
    required: new Set(addresses(mail.to)),
    raw: options.dkim === undefined ? plain : Dkim.sign(options.dkim, plain),
    messageId
  }
}
