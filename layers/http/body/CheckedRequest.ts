import { Effect, Inspectable, type Option, type Schema, Stream } from "effect"
import {
  type Headers,
  HttpIncomingMessage,
  HttpServerError,
  HttpServerRequest,
  Multipart,
  UrlParams
} from "effect/http"

type Request = HttpServerRequest.HttpServerRequest
type ModifyOptions = Parameters<Request["modify"]>[0]

const decoder = new TextDecoder()

/**
 * A request whose body has been read and checked: `text`, `json`, `arrayBuffer` and the rest come from memory, as often
 * as asked.
 *
 * A member named `__proto__` is data: `JSON.parse` makes it an own property, and struct and record schemas keep it so.
 * Code that copies members itself must use a spread, `Object.defineProperty` or a `Map`, because `target[key] = value`
 * and `Object.assign` would set the prototype instead.
 */
export class CheckedRequest extends Inspectable.Class implements Request {
  readonly [HttpServerRequest.TypeId]: typeof HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly inner: Request
  /** The body as it came. */
  readonly bytes: Uint8Array
  private decoded: string | undefined
  private parsed: Effect.Effect<Schema.Json, HttpServerError.HttpServerError> | undefined

  constructor(inner: Request, bytes: Uint8Array, text?: string) {
    super()
    this.inner = inner
    this.bytes = bytes
    this.decoded = text
  }

  /** The body as text: a byte order mark is dropped, bytes that are not UTF-8 become U+FFFD. */
  get textUnsafe(): string {
    return this.decoded ??= decoder.decode(this.bytes)
  }

  get text(): Request["text"] {
    return Effect.succeed(this.textUnsafe)
  }

  get json(): Request["json"] {
    return this.parsed ??= this.parse()
  }

  private parse(): Effect.Effect<Schema.Json, HttpServerError.HttpServerError> {
    const text = this.textUnsafe
    try {
      const value: Schema.Json = text === "" ? null : JSON.parse(text)
      return Effect.succeed(value)
    } catch (cause) {
      return Effect.fail(
        new HttpServerError.HttpServerError({ reason: new HttpServerError.RequestParseError({ request: this, cause }) })
      )
    }
  }

  get arrayBuffer(): Request["arrayBuffer"] {
    return Effect.sync(() => this.bytes.slice().buffer)
  }

  get stream(): Request["stream"] {
    return Stream.succeed(this.bytes)
  }

  get urlParamsBody(): Request["urlParamsBody"] {
    // A leading "?" is form data; URLSearchParams would drop it as a query prefix.
    return Effect.succeed(UrlParams.fromInput(new URLSearchParams(this.textUnsafe.replace(/^\?/, "%3F"))))
  }

  get multipartStream(): Request["multipartStream"] {
    return Stream.pipeThroughChannel(Stream.succeed(this.bytes), Multipart.makeChannel(this.headers))
  }

  get multipart(): Request["multipart"] {
    return Multipart.toPersisted(this.multipartStream)
  }

  modify(options: ModifyOptions): Request {
    return new CheckedRequest(this.inner.modify(options), this.bytes, this.decoded)
  }

  get source(): object {
    return this.inner.source
  }

  /** Platform accessors such as `NodeHttpServerRequest.toServerResponse` look here. */
  get response(): unknown {
    return Reflect.get(this.inner, "response")
  }

  get url(): string {
    return this.inner.url
  }

  get originalUrl(): string {
    return this.inner.originalUrl
  }

  get method(): string {
    return this.inner.method
  }

  get headers(): Headers.Headers {
    return this.inner.headers
  }

  get cookies(): Request["cookies"] {
    return this.inner.cookies
  }

  get remoteAddress(): Option.Option<string> {
    return this.inner.remoteAddress
  }

  get peerAddress(): Option.Option<string> {
    return this.inner.peerAddress
  }

  get protocol(): Request["protocol"] {
    return this.inner.protocol
  }

  get upgrade(): Request["upgrade"] {
    return this.inner.upgrade
  }

  get upgradeWith(): Request["upgradeWith"] {
    return (options) => this.inner.upgradeWith(options)
  }

  toJSON(): unknown {
    return this.inner.toJSON()
  }
}
