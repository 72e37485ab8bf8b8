import * as Devices from "#layers/providers/Devices.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import * as PushReceipts from "#layers/providers/PushReceipts.ts"
import { places } from "#layers/providers/SettingFields.ts"
import { told } from "#layers/providers/Told.ts"
import { connections } from "#layers/providers/VendorAgents.ts"
import { type Line, type VendorAnswer, VendorHttp, type VendorRequest } from "#layers/providers/VendorHttp.ts"
import { errorOf, type Fault, type VendorTable, waitOf } from "#layers/providers/VendorTable.ts"
import { type DeliveryError, RecipientRejected, Unknown } from "#schemas/DeliveryError.ts"
import type { Profile } from "#schemas/Profile.ts"
import { DeadAddresses } from "#src/delivery/pipeline/DeadAddresses.ts"
import { isGiven } from "#src/delivery/attempts/Override.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import type { Acceptance, Delivery, Vendor } from "#src/delivery/Provider.ts"
import { fnv1a } from "#src/delivery/shards/Hash.ts"
import type { ProviderDefinition } from "#src/delivery/providers/ProviderDefinition.ts"
import { Effect, Equal, Option, Schema } from "effect"

/** One message for one address. */
export interface Call<Settings, To> {
  readonly settings: Settings
  readonly to: To
  readonly delivery: Delivery
  readonly line: Line
}

/** How one configuration writes its requests. It may hold state that outlives a call, such as a bearer token. */
export interface Writer<Settings, To> {
  readonly request: (call: Call<Settings, To>) => Effect.Effect<VendorRequest, DeliveryError>
  /** Drops the token in this `authorization`. It is run after the vendor refused it. */
  readonly forget?: (authorization: string | undefined) => Effect.Effect<void>
}

/** A vendor over HTTP: what is particular to it, in its own file. `To` is an address as the profile's key holds it. */
export interface Wire<Settings, To> extends Omit<ProviderDefinition<Settings>, "make" | "places"> {
  /** Where in `override.body` something is said to the recipient (`Vendor.says`). */
  readonly says: ReadonlyArray<string>
  /**
   * Of an e-mail or SMS vendor: where in `override.body` other addressees are named. If absent, addresses are not
   * suppressed (`Vendor.addressOf`).
   */
  readonly addressees?: ReadonlyArray<string>
  /** The addresses of a profile, empty if it has none. `request` decides whether they are valid. */
  readonly recipients: (profile: Profile) => ReadonlyArray<To>
  /** How many calls may be under way at once. If absent: as many as a configuration has connections. */
  readonly atOnce?: number
  /** The recipient's own credentials, where calls are made with these. */
  readonly ownAccount?: (profile: Profile) => string | undefined
  readonly writer: (settings: Settings) => Effect.Effect<Writer<Settings, To>>
  /**
   * The settings on which the writer's state depends. A message that overrides only other settings is written by the
   * same writer.
   */
  readonly holds?: ReadonlyArray<keyof Settings>
  /** Reads a 2xx to a call to `to`. `undefined`: it cannot be read, and it is unknown whether the message was sent. */
  readonly accepted: (answer: VendorAnswer, to: To) => Acceptance | undefined
  /** What an answer says is wrong; `to`: the address of the call. A 2xx with a code is a refusal too. */
  readonly fault: (answer: VendorAnswer, to?: To) => Fault
  /** Codes of a 401 or 403 that a new token would not mend. */
  readonly beyondToken?: ReadonlyArray<string>
  readonly table: VendorTable
  /** A push service that tells what became of a push when it is asked: then references are its tickets' ids. */
  readonly receipts?: PushReceipts.Asking<Settings>
}

/** A writer without state. */
export const stateless = <Settings, To>(request: Writer<Settings, To>["request"]) => () => Effect.succeed({ request })

/** A JSON answer decoded by a schema, `undefined` where it does not fit. */
export const reading = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  // Some vendors take a message without a word, and to parse none fails with a stack, which costs a fifth of the call.
  return ({ body }: VendorAnswer): S["Type"] | undefined =>
    body === "" ? undefined : Option.getOrUndefined(decode(body))
}

export const noFault: Fault = { codes: [], message: "" }

const judge = Effect.fnUntraced(function*<Settings, To>(wire: Wire<Settings, To>, to: To, answer: VendorAnswer) {
  const { status } = answer
  const fault = wire.fault(answer, to)
  if (status >= 200 && status < 300 && fault.codes.length === 0) {
    const accepted = wire.accepted(answer, to)
    return accepted ?? (yield* new Unknown({ detail: `${wire.name} answered ${status} and nothing readable` }))
  }
  return yield* errorOf(
    wire.table,
    { status, fault, retryAfter: yield* waitOf(answer) },
    told(wire.name, status, fault, to)
  )
})

/** Whether the vendor refuses the token that the writer holds. */
const isAboutToken = <Settings, To>(
  { beyondToken = [], fault }: Wire<Settings, To>,
  to: To,
  answer: VendorAnswer,
  status: 401 | 403
): boolean => answer.status === status && !fault(answer, to).codes.some((code) => beyondToken.includes(code))

const askOnce = Effect.fnUntraced(function*<Settings, To>(writer: Writer<Settings, To>, call: Call<Settings, To>) {
  const asked = yield* writer.request(call)
  const answer = yield* call.line.send(asked)
  return { answer, forget: writer.forget?.(asked.headers["authorization"]) ?? Effect.void }
})

/**
 * Makes the call, and once more with a new token if the vendor no longer honours the one that is held: what it answers
 * with 401 it has not sent.
 */
const ask = Effect.fnUntraced(function*<Settings, To>(
  wire: Wire<Settings, To>,
  writer: Writer<Settings, To>,
  call: Call<Settings, To>
) {
  const asked = yield* askOnce(writer, call)
  if (writer.forget === undefined || !isAboutToken(wire, call.to, asked.answer, 401)) return asked
  yield* asked.forget
  return yield* askOnce(writer, call)
})

/**
 * Names the account of the recipient's or the message's own on which a call is made. Only by a hash, since it is made of
 * secrets (P9): two accounts with the same hash merely share a circuit breaker.
 */
const accountOf = (...own: ReadonlyArray<string | undefined>): string | undefined => {
  const given = own.filter((one) => one !== undefined)
  return given.length === 0 ? undefined : fnv1a(given.join(" ")).toString(36)
}

/** `Vendor.addressOf`: the profile's address, unless an override names other addressees. */
const addressOf = <Settings, To>({ addressees, channel, recipients }: Wire<Settings, To>): Pick<Vendor, "addressOf"> =>
  addressees === undefined ? {} : {
    addressOf: (profile, override) => {
      const [to] = recipients(profile)
      const paths = [...addressees.map((name) => `body.${name}`), ...channel === "email" ? ["to"] : []]
      return typeof to !== "string" || paths.some((path) => isGiven(override, path)) ? undefined : to
    }
  }

/** Of how many credentials of messages' own the tokens are kept. */
const mostOthers = 100

/** The definition of a vendor from what its file says. */
export const define = <Settings, To>(wire: Wire<Settings, To>): ProviderDefinition<Settings, VendorHttp> => ({
  key: wire.key,
  name: wire.name,
  description: wire.description,
  channel: wire.channel,
  settings: wire.settings,
  places,
  make: Effect.fnUntraced(function*(settings) {
    const http = yield* VendorHttp
    const says = wire.says.map((path) => `body.${path}`)
    const own = { settings, writer: yield* wire.writer(settings) }
    const { receipts } = wire
    const slots = Slots.make(wire.atOnce ?? connections)
    /** Writers for the credentials of messages' own, oldest first. */
    const others: Array<typeof own> = []
    const sharesHeld = (one: Settings, other: Settings): boolean =>
      wire.holds?.every((name) => Equal.equals(one[name], other[name])) === true
    /**
     * A message whose `override.config` changes credentials has another writer than the configuration's, so that it
     * shares no held token with others. Messages with the same credentials share a writer, since vendors limit how many
     * tokens are issued.
     */
    const chosen = Effect.fnUntraced(function*(delivery: Delivery) {
      const other = yield* Overrides.settingsOf(wire.settings, settings, delivery.override)
      if (other === settings) return own
      const known = [own, ...others].find((one) => sharesHeld(one.settings, other))
      if (known !== undefined) return { settings: other, writer: known.writer }
      const made = { settings: other, writer: yield* wire.writer(other) }
      if (wire.holds !== undefined && others.push(made) > mostOthers) others.shift()
      return made
    })

    /** A dead push token is reported at once, since another token of the recipient may take the message. */
    const tell = Effect.fnUntraced(function*(error: DeliveryError, scope: Delivery["scope"], to: To) {
      if (wire.channel !== "push" || typeof to !== "string") return
      if (error._tag !== "RecipientRejected" || error.invalidates !== true) return
      yield* (yield* DeadAddresses)({ scope, channel: "push", provider: wire.key, address: to, detail: error.detail })
    })

    const send = Effect.fnUntraced(function*(delivery: Delivery) {
      const line = yield* http.line
      const { settings, writer } = yield* chosen(delivery)
      // Another account's push would be asked about with the wrong credentials.
      const isAsked = wire.receipts !== undefined && settings === own.settings
      return yield* Devices.each(
        wire.recipients(delivery.profile),
        Effect.fnUntraced(function*(to) {
          const { answer, forget } = yield* ask(wire, writer, { settings, to, delivery, line })
          const taken = yield* judge(wire, to, answer).pipe(
            // Vendors also answer 403 about a recipient, who then costs no new token.
            Effect.tapError((error) =>
              error._tag !== "RecipientRejected" && isAboutToken(wire, to, answer, 403)
                ? forget
                : tell(error, delivery.scope, to)
            )
          )
          return isAsked ? PushReceipts.withTicket(wire.key, to, taken) : taken
        })
      )
    })
    return {
      _tag: "Vendor",
      key: wire.key,
      channel: wire.channel,
      says,
      slots: () => slots,
      reaches: (profile) => wire.recipients(profile).length > 0,
      ...addressOf(wire),
      serverOf: (profile, override) => accountOf(wire.ownAccount?.(profile), Overrides.account(override)),
      send,
      ...(receipts === undefined ? {} : { receipts: PushReceipts.of({ ...wire, receipts }, own.settings, http) })
    }
  })
})

/** For `request`: this vendor could not take an address of this form. */
export const badAddress = (detail: string) => new RecipientRejected({ detail, invalidates: false })
