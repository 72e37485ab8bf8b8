import { Buffer } from "node:buffer"

const code = (letter: string) => letter.charCodeAt(0)

const largest = 64 * 1024 * 1024
const small = 10_000

/**
 * The messages a client may send, each with its longest length (PostgreSQL's own limit for the small ones). At one that
 * it does not know PostgreSQL ends the backend, and here there is only one.
 */
const limits = new Map(
  [..."QPBd"].map((letter) => [code(letter), largest] as const)
    .concat([..."CDEHSXcf"].map((letter) => [code(letter), small] as const))
)

/** Whether a client may send a message with this tag and length, `before` bytes after its last Sync. */
export const isAllowed = (tag: number, length: number, before: number): boolean =>
  length >= 4 && length <= (limits.get(tag) ?? 0) && before <= largest

export const isStartupAllowed = (length: number): boolean => length >= 8 && length <= small

export const query = code("Q")
export const parse = code("P")
export const close = code("C")
export const sync = code("S")
export const flush = code("H")
export const terminate = code("X")
const notification = code("A")
const ready = code("Z")

/** A message of these parts: strings end with a zero byte. */
export const message = (letter: string, ...parts: ReadonlyArray<string | ReadonlyArray<number>>): Buffer => {
  const body = parts.map((part) => Buffer.from(typeof part === "string" ? `${part}\0` : part))
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeUInt32BE(body.reduce((sum, part) => sum + part.length, 4), 1)
  return Buffer.concat([head, ...body])
}

/** What a connection names in a CancelRequest, without a secret: who connects is in this process. */
export const keyData = (connection: number): Buffer => {
  const body = Buffer.alloc(8)
  body.writeUInt32BE(connection)
  return message("K", [...body])
}

/** Ready, in no transaction. */
export const idle = message("Z", [0x49])

/** What PostgreSQL answers to a statement that was cancelled. */
export const canceled: Buffer = Buffer.concat([
  message("E", "SERROR", "VERROR", "C57014", "Mcanceling statement due to user request", [0]),
  idle
])

/** The version number of protocol 3.0, and the requests that may stand in its place. */
export const version = { protocol: 3 << 16, cancel: 80877102, tls: 80877103, gss: 80877104 }

/** The first message of a connection. */
export const startup = (parameters: Readonly<Record<string, string>>): Buffer => {
  const body = Buffer.from(
    Object.entries(parameters).flatMap(([name, value]) => [`${name}\0`, `${value}\0`]).join("") + "\0"
  )
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + head.length, 0)
  head.writeUInt32BE(version.protocol, 4)
  return Buffer.concat([head, body])
}

/** The whole messages in a reply of the backend. */
export function* messages(reply: Buffer): Generator<Buffer> {
  for (let at = 0; reply.length - at >= 5;) {
    const end = at + 1 + reply.readUInt32BE(at + 1)
    yield reply.subarray(at, end)
    at = end
  }
}

/** Parts a reply into the notifications in it, which are everybody's, and the rest, which is the asker's. */
export const partNotifications = (reply: Buffer): readonly [rest: Buffer, notifications: ReadonlyArray<Buffer>] => {
  let found = false
  for (let at = 0; reply.length - at >= 5; at += 1 + reply.readUInt32BE(at + 1)) found ||= reply[at] === notification
  if (!found) return [reply, []]
  const all = [...messages(reply)]
  return [Buffer.concat(all.filter((one) => one[0] !== notification)), all.filter((one) => one[0] === notification)]
}

/** Whether a reply ends ready for the next statement: after a refused message the backend skips all that follows up to a Sync. */
export const isReady = (reply: Buffer): boolean =>
  reply.length >= 6 && reply[reply.length - 6] === ready && reply.readUInt32BE(reply.length - 5) === 5

/** Ends whatever a connection left open: an extended query without its Sync, a transaction, its prepared statements. */
export const farewell = (holds: boolean, statements: Iterable<string>): Buffer => {
  const closes = Array.from(statements, (name) => message("C", [code("S")], name))
  if (closes.length > 0) closes.push(message("S"))
  // The portal does not exist: the error undoes the statements since the last Sync, which a Sync alone would commit.
  return Buffer.concat([
    ...(holds ? [message("E", "tidings_gone", [0, 0, 0, 0]), message("S"), message("Q", "ROLLBACK")] : []),
    ...closes
  ])
}
