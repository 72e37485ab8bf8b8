const digits = 8

/** Stands for the number in the text of a request, wherever it is to be written. */
export const placeholder = "#".repeat(digits)

/** The bytes of one request, in which the number is written over. */
export interface NumberedRequest {
  readonly bytes: Buffer
  readonly offsets: ReadonlyArray<number>
}

/** A request over HTTP/1.1 whose bytes are made once: what generates a load shares the processors with the server. */
export const make = (method: string, path: string, options: {
  readonly host: string
  readonly apiKey: string
  readonly json?: string
}): NumberedRequest => {
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${options.host}`,
    `Authorization: Bearer ${options.apiKey}`,
    ...(options.json === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(options.json)}`])
  ]
  const bytes = Buffer.from(`${head.join("\r\n")}\r\n\r\n${options.json ?? ""}`)
  const offsets: Array<number> = []
  for (let at = bytes.indexOf(placeholder); at >= 0; at = bytes.indexOf(placeholder, at + digits)) offsets.push(at)
  return { bytes, offsets }
}

/** The same request with bytes of its own: one connection's, whose last one is on its way while others write theirs. */
export const copy = ({ bytes, offsets }: NumberedRequest): NumberedRequest => ({ bytes: Buffer.from(bytes), offsets })

/** Writes the number wherever the placeholder stood. */
export const write = ({ bytes, offsets }: NumberedRequest, value: number): void => {
  for (const offset of offsets) {
    for (let rest = value, at = offset + digits - 1; at >= offset; at--, rest = Math.floor(rest / 10)) {
      bytes[at] = 48 + rest % 10
    }
  }
}

/** The length of the first response in `text`; `undefined` while it is not yet complete. */
export const responseLength = (text: string): number | undefined => {
  const head = text.indexOf("\r\n\r\n")
  if (head < 0) return undefined
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)
  if (length !== null) {
    const whole = head + 4 + Number(length[1])
    return text.length >= whole ? whole : undefined
  }
  const end = text.indexOf("\r\n0\r\n\r\n", head + 2)
  return end < 0 ? undefined : end + 7
}
