import * as Head from "#layers/http/plain/Head.ts"

/** A request that came whole. */
export interface Framed {
  /** As Node lists them: name, value, name, value. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: Buffer
  /** Whether its sender wants the connection to end with the answer. */
  readonly isLast: boolean
  /** Where what follows it begins. */
  readonly end: number
}

const opening = Buffer.from("POST /send HTTP/1.1\r\n", "latin1")
const blank = Buffer.from("\r\n\r\n", "latin1")

/** Bytes of the longest head, and its most lines: Node takes no head that is longer, and not many more lines in one. */
const longestHead = 16 * 1024
const mostLines = 100

const name = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const value = /^[\t\x20-\x7e\x80-\xff]*$/
const around = /^[\t ]+|[\t ]+$/g

/** Whether the first bytes are those of a plain send, or may still become them. */
const mayBegin = (bytes: Buffer): boolean =>
  bytes.length < opening.length
    ? opening.subarray(0, bytes.length).equals(bytes)
    : bytes.compare(opening, 0, opening.length, 0, opening.length) === 0

/** How the body is framed, and whether the connection ends: `undefined` unless the head is one that Node reads so too. */
const framing = (rawHeaders: Array<string>, lines: ReadonlyArray<string>) => {
  let length: number | undefined
  let isLast = false
  for (const line of lines) {
    const colon = line.indexOf(":")
    const named = line.slice(0, colon).toLowerCase()
    const told = line.slice(colon + 1).replace(around, "")
    if (colon < 1 || !Head.isKnown(named) || !name.test(named) || !value.test(told)) return undefined
    if (named === "content-length") {
      if (length !== undefined || !/^\d{1,9}$/.test(told)) return undefined
      length = Number(told)
    }
    if (named === "connection") {
      const wish = told.toLowerCase()
      if (wish !== "close" && wish !== "keep-alive") return undefined
      isLast ||= wish === "close"
    }
    rawHeaders.push(line.slice(0, colon), told)
  }
  return length === undefined ? undefined : { length, isLast }
}

/**
 * Reads the request at the beginning of `bytes`: `"part"` if more must come first, `undefined` if it is none that is
 * sure to be read here as Node reads it. Sure are those of RFC 9112 in its plainest form: `POST /send`, a known header on
 * each line, and a body of a declared length, of at most `longest` bytes. Everything else is Node's: so no two readers
 * could differ on where a request ends.
 */
export const read = (bytes: Buffer, longest: number): Framed | "part" | undefined => {
  if (!mayBegin(bytes)) return undefined
  const blankAt = bytes.indexOf(blank)
  const headEnd = blankAt === -1 ? bytes.length : blankAt + blank.length
  if (headEnd > longestHead) return undefined
  if (blankAt === -1) return "part"
  const rawHeaders: Array<string> = []
  const lines = bytes.toString("latin1", opening.length, blankAt).split("\r\n")
  const framed = framing(rawHeaders, lines)
  if (framed === undefined || lines.length > mostLines || framed.length > longest) return undefined
  const end = headEnd + framed.length
  if (end > bytes.length) return "part"
  return { rawHeaders, body: bytes.subarray(headEnd, end), isLast: framed.isLast, end }
}
