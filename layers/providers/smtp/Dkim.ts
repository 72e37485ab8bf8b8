import { Buffer } from "node:buffer"
import { createHash, type KeyObject, sign as signWith } from "node:crypto"

/** A signing key, and where its public part is published. */
export interface DkimKey {
  readonly domain: string
  readonly selector: string
  readonly key: KeyObject
}

/**
 * Headers that are signed once more often than they occur, so that nobody can add another one (RFC 6376 §8.15): those
 * that a reader sees, and those that decide how the body is read. List headers are treated so too if present: another
 * one could redirect the one-click request of RFC 8058.
 */
const oversigned = [
  "from",
  "to",
  "cc",
  "reply-to",
  "subject",
  "date",
  "message-id",
  "in-reply-to",
  "references",
  "mime-version",
  "content-type",
  "content-transfer-encoding"
]

const squeeze = (text: string) => text.replace(/[ \t]+/g, " ")

/** `relaxed` of RFC 6376 §3.4.2, for a whole header field. */
const relaxedField = (field: string): { readonly name: string; readonly text: string } => {
  const colon = field.indexOf(":")
  const name = field.slice(0, colon).trim().toLowerCase()
  return { name, text: `${name}:${squeeze(field.slice(colon + 1).replace(/\r\n/g, "")).trim()}` }
}

/** `relaxed` of RFC 6376 §3.4.4. */
const relaxedBody = (body: string): string => {
  const squeezed = squeeze(body).replaceAll(" \r\n", "\r\n").replace(/ $/, "")
  let end = squeezed.length
  while (squeezed.endsWith("\r\n", end)) end -= 2
  return end === 0 ? "" : `${squeezed.slice(0, end)}\r\n`
}

const foldNames = (names: ReadonlyArray<string>) => names.join(":").replace(/.{1,70}:/g, "$&\r\n  ")
const foldBase64 = (text: string) => text.replace(/.{70}(?=.)/g, "$&\r\n  ")

/** The message with its `DKIM-Signature` in front; lines of `message` end in CRLF. */
export const sign = ({ domain, key, selector }: DkimKey, message: Buffer): Buffer => {
  // One character per byte (latin1), so that what is hashed is what is sent.
  const text = message.toString("latin1")
  const split = text.indexOf("\r\n\r\n")
  const fields = text.slice(0, split).split(/\r\n(?![ \t])/).map(relaxedField)
  const isRsa = key.asymmetricKeyType === "rsa"

  const named = new Map<string, Array<string>>()
  for (const { name, text } of fields) named.set(name, [text, ...named.get(name) ?? []])
  const others = [...named.keys()].filter((name) => name.startsWith("list-") && !oversigned.includes(name))
  const list = [
    ...oversigned.flatMap((name) => [...(named.get(name) ?? []).map(() => name), name]),
    ...others.flatMap((name) => [...(named.get(name) ?? []).map(() => name), name])
  ]
  const covered = [...oversigned, ...others].flatMap((name) => named.get(name) ?? [])

  const bodyHash = createHash("sha256").update(relaxedBody(text.slice(split + 4)), "latin1").digest("base64")
  const unsigned = [
    `DKIM-Signature: v=1; a=${isRsa ? "rsa" : "ed25519"}-sha256; c=relaxed/relaxed;`,
    ` d=${domain}; s=${selector};`,
    ` h=${foldNames(list)};`,
    ` bh=${bodyHash};`,
    " b="
  ].join("\r\n")
  const signed = Buffer.from(`${covered.join("\r\n")}\r\n${relaxedField(unsigned).text}`, "latin1")
  // Ed25519 signs the hash (RFC 8463 §3).
  const signature = isRsa
    ? signWith("sha256", signed, key)
    : signWith(null, createHash("sha256").update(signed).digest(), key)
  return Buffer.concat([Buffer.from(`${unsigned}${foldBase64(signature.toString("base64"))}\r\n`, "latin1"), message])
}
