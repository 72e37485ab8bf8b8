import { Cue } from "#layers/testing/Cue.ts"
import type { Faults, Kind } from "#layers/testing/Faults.ts"
import type { Given } from "#layers/testing/Given.ts"
import * as ImpossibleGiven from "#layers/testing/ImpossibleGiven.ts"
import type { ListenerOptions } from "#layers/testing/ListenerOptions.ts"
import { unknown } from "#layers/testing/Unknown.ts"
import type { Down, VendorOptions } from "#layers/testing/VendorOptions.ts"
import { PreferenceChannel } from "#schemas/Preferences.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import { WebhookEventType } from "#schemas/Webhook.ts"
import { most } from "#src/reports/Webhooks.ts"
import { fromIso } from "#schemas/WrittenTime.ts"
import { Arbitrary, Predicate, Result, Schema } from "effect"

interface Options {
  readonly nodes?: number
  readonly shards?: number
  readonly seeds?: number
  readonly vendors?: ReadonlyArray<VendorOptions>
  readonly listeners?: ReadonlyArray<ListenerOptions>
  readonly faults?: Faults
  readonly given?: Given
  readonly begins?: string
  readonly drawn?: Arbitrary.Arbitrary<unknown>
}

/** Typed as a record of all names, so that a new option cannot be forgotten here. */
const options: Readonly<Record<keyof Options, true>> = {
  nodes: true,
  shards: true,
  seeds: true,
  vendors: true,
  listeners: true,
  faults: true,
  given: true,
  begins: true,
  drawn: true
}

const ofAVendor = {
  key: Schema.NonEmptyString,
  channel: Schema.NonEmptyString,
  address: Schema.NonEmptyString,
  folds: Schema.optional(Schema.Boolean),
  deadline: Schema.optional(Schema.Number.check(Schema.isGreaterThan(0))),
  connections: Schema.optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  perSecond: Schema.optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  rejects: Schema.optional(Schema.Array(Schema.String)),
  down: Schema.optional(Schema.Array(Schema.Struct({ from: Schema.Number, until: Schema.Number }))),
  script: Schema.optional(Schema.Array(Cue)),
  answers: Schema.optional(Schema.declare(Predicate.isFunction, { expected: "a function" }))
} satisfies Readonly<Record<keyof VendorOptions, Schema.Constraint>>

const decodeVendors = Schema.decodeUnknownResult(Schema.Array(Schema.Struct(ofAVendor)), { errors: "all" })

/** Its name is a part of a host's. */
const ofAListener = {
  name: Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9-]{0,30}$/)),
  types: Schema.optional(Schema.NonEmptyArray(WebhookEventType)),
  down: ofAVendor.down,
  script: ofAVendor.script
} satisfies Readonly<Record<keyof ListenerOptions, Schema.Constraint>>

const decodeListeners = Schema.decodeUnknownResult(Schema.Array(Schema.Struct(ofAListener)), { errors: "all" })

const kinds: Readonly<Record<Kind, true>> = {
  crash: true,
  freeze: true,
  rob: true,
  leave: true,
  jump: true,
  outage: true,
  lag: true
}

const notAKind = (kind: Kind): string => `${kind}, which is none of ${Object.keys(kinds).join(", ")}`

/** Why a story can not inject this, in a sentence. */
export const ofStrike = (kind: Kind, node: string | undefined, nodes: ReadonlyArray<string>): string | undefined => {
  if (!Object.hasOwn(kinds, kind)) return `The story strikes with ${notAKind(kind)}`
  return node === undefined || nodes.includes(node)
    ? undefined
    : `The story strikes ${node}, which is none of the nodes ${nodes.join(", ")}`
}

const isWhole = (from: number) => (value: number | null | undefined): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= from

const ofDown = (who: string, down: ReadonlyArray<Down>): ReadonlyArray<string> =>
  down.filter(({ from, until }) => !isWhole(0)(from) || !(until > from)).map(({ from, until }) =>
    `The ${who} is down from ${from} until ${until}, and that has to be from a whole number until a later one`
  )

/** The channels of vendors; `inbox` is the server's own. */
const channels = PreferenceChannel.literals.filter((channel) => channel !== "inbox")
const isChannel = Schema.is(Schema.Literals(channels))

const ofChannel = ({ address, channel, key }: VendorOptions): ReadonlyArray<string> => {
  if (channel === "inbox") return [`The vendor ${key} has the channel inbox, which every world has without a vendor`]
  if (!isChannel(channel)) {
    return [
      `The vendor ${key} has the channel ${channel}, which is none of ${channels.join(", ")} ` +
      "(direct_message: Slack, Teams, Discord, PagerDuty)"
    ]
  }
  return channel === "webhook" && (key !== "webhook" || address !== "webhook")
    ? [`The vendor ${key} has the channel webhook: its key and its address have to be webhook, too`]
    : []
}

/** If a time of a cue were not a number, the world would never end. */
const ofVendors = (vendors: ReadonlyArray<VendorOptions>): ReadonlyArray<string> => {
  const decoded = decodeVendors(vendors)
  if (Result.isFailure(decoded)) return [sentence(decoded.failure.issue, "options.vendors")]
  return vendors.flatMap((vendor, n) => [
    ...unknown(`The vendor ${vendor.key}`, vendor, ofAVendor),
    ...(vendors.findIndex(({ key }) => key === vendor.key) === n
      ? []
      : [`options.vendors has more than one ${vendor.key}`]),
    ...ofChannel(vendor),
    ...ofDown(`vendor ${vendor.key}`, vendor.down ?? [])
  ])
}

const ofListeners = (listeners: ReadonlyArray<ListenerOptions>): ReadonlyArray<string> => {
  const decoded = decodeListeners(listeners)
  if (Result.isFailure(decoded)) return [sentence(decoded.failure.issue, "options.listeners")]
  return listeners.flatMap((listener, n) => [
    ...unknown(`The listener ${listener.name}`, listener, ofAListener),
    ...(listeners.findIndex(({ name }) => name === listener.name) === n
      ? []
      : [`options.listeners has more than one ${listener.name}`]),
    ...ofDown(`listener ${listener.name}`, listener.down ?? [])
  ])
}

const ofFaults: Readonly<Record<keyof Faults, true>> = {
  kinds: true,
  atMost: true,
  within: true,
  lostAnswers: true,
  moves: true,
  aimed: true,
  only: true
}

const faultsOf = (faults: Faults): ReadonlyArray<string> => {
  if (!Predicate.isObject(faults)) return ["options.faults has to be an object, such as Faults.none"]
  if (![faults.kinds, faults.only ?? []].every(Array.isArray))
    return ["options.faults.kinds and options.faults.only have to be arrays"]
  const { aimed = 0, atMost, kinds: named, lostAnswers, moves = 0, only = [], within } = faults
  // If every answer of the store were lost, or every shard moved on, the world would make no progress for days of
  // virtual time.
  const probabilities = Object.entries({ lostAnswers, moves }).filter(([, value]) => !(value >= 0 && value < 1))
  return [
    ...unknown("options.faults", faults, ofFaults),
    ...named.filter((kind) => !Object.hasOwn(kinds, kind)).map((kind) => `options.faults.kinds has ${notAKind(kind)}`),
    ...Object.entries({ atMost, within }).filter(([, value]) => !isWhole(0)(value)).map(([name, value]) =>
      `options.faults.${name} is ${value}, and has to be a whole number from 0`
    ),
    ...only.filter((number) => !isWhole(0)(number)).map((number) =>
      `options.faults.only has ${number}, and has to have whole numbers from 0`
    ),
    ...(aimed >= 0 && aimed <= 1 ? [] : [`options.faults.aimed is ${aimed}, and has to be from 0 to 1`]),
    ...probabilities.map(([name, value]) => `options.faults.${name} is ${value}, and has to be from 0 to below 1`)
  ]
}

/** The ids of messages carry the second in which they were made, in eight hex digits. */
const lastBeginning = Date.UTC(2100, 0)

const isBeginning = (begins: unknown): boolean => {
  const time = typeof begins === "string" ? fromIso(begins) : undefined
  return time !== undefined && time >= 0 && time < lastBeginning
}

/**
 * The first thing in the options that no world can have, in a sentence. Such a world would not fail: it would run for
 * ever, or to its end with nothing having happened.
 */
export const of = (asked: Options): string | undefined => {
  const { begins, drawn, faults, given, listeners = [], nodes, seeds, shards, vendors = [] } = asked
  return [
    ...unknown("options", asked, options),
    ...Object.entries({ nodes, seeds, shards }).filter(([, value]) => value !== undefined && !isWhole(1)(value)).map((
      [name, value]
    ) => `options.${name} is ${value}, and has to be a whole number from 1`),
    ...(begins === undefined || isBeginning(begins)
      ? []
      : [`options.begins is ${begins}, and has to be a time such as 2026-03-28T18:00:00Z, from 1970 to 2099`]),
    ...ofVendors(vendors),
    ...(listeners.length > most ? [`options.listeners has ${listeners.length}, and ${most} are the most`] : []),
    ...ofListeners(listeners),
    ...(faults === undefined ? [] : faultsOf(faults)),
    ...(given === undefined ? [] : ImpossibleGiven.of(given)),
    ...(drawn === undefined || Arbitrary.isArbitrary(drawn) ? [] : ["options.drawn has to be an Arbitrary"])
  ][0]
}
