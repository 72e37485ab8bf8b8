import type { Faults, Kind } from "#layers/testing/Faults.ts"
import type { Cue } from "#layers/testing/Cue.ts"
import type { Given } from "#layers/testing/Given.ts"
import * as ImpossibleGiven from "#layers/testing/ImpossibleGiven.ts"
import type { Down, VendorOptions } from "#layers/testing/Vendors.ts"

interface Options {
  readonly nodes?: number
  readonly shards?: number
  readonly seeds?: number
  readonly vendors?: ReadonlyArray<VendorOptions>
  readonly faults?: Faults
  readonly given?: Given
}

/** Typed as a record of all names, so that a new option cannot be forgotten here. */
const options: Readonly<Record<keyof Options, true>> = {
  nodes: true,
  shards: true,
  seeds: true,
  vendors: true,
  faults: true,
  given: true
}

const ofAVendor: Readonly<Record<keyof VendorOptions, true>> = {
  key: true,
  channel: true,
  address: true,
  folds: true,
  rejects: true,
  down: true,
  script: true
}

const kinds: Readonly<Record<Kind, true>> = {
  crash: true,
  freeze: true,
  rob: true,
  leave: true,
  jump: true,
  outage: true
}

const isWhole = (from: number) => (value: number | null | undefined): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= from

/** The times of a cue. If one were not a number, the world would never end. */
const timesOf = (cue: Cue): ReadonlyArray<readonly [name: string, ms: number | null]> => [
  ["after", cue.after],
  ...(cue._tag === "Refuse" && cue.retryAfter !== null ? [["retryAfter", cue.retryAfter] as const] : [])
]

/** Complaints about names that do not exist, such as misspelt ones: they would have no effect. */
const unknown = (of: string, value: object, known: object): ReadonlyArray<string> =>
  Object.keys(value).filter((name) => !Object.hasOwn(known, name)).map((name) =>
    `${of} has ${name}, which is none of ${Object.keys(known).join(", ")}`
  )

const ofDown = (key: string, down: ReadonlyArray<Down>): ReadonlyArray<string> =>
  down.filter(({ from, until }) => !isWhole(0)(from) || !(until > from)).map(({ from, until }) =>
    `The vendor ${key} is down from ${from} until ${until}, and that has to be from a whole number until a later one`
  )

const ofVendors = (vendors: ReadonlyArray<VendorOptions>): ReadonlyArray<string> =>
  vendors.flatMap((vendor, n) => [
    ...unknown(`The vendor ${vendor.key}`, vendor, ofAVendor),
    ...ofOne(vendor, vendors.findIndex(({ key }) => key === vendor.key) === n)
  ])

const ofOne = ({ down = [], key, script = [] }: VendorOptions, isOnly: boolean): ReadonlyArray<string> => [
  ...(isOnly ? [] : [`options.vendors has more than one ${key}`]),
  ...ofDown(key, down),
  ...script.flatMap((cue, place) =>
    timesOf(cue).filter(([, ms]) => !isWhole(0)(ms)).map(([name, ms]) =>
      `${name} of cue ${place} of the vendor ${key} is ${ms}, and has to be a whole number from 0`
    )
  )
]

const ofFaults = ({ atMost, kinds: named, lostAnswers, within }: Faults): ReadonlyArray<string> => [
  ...named.filter((kind) => !Object.hasOwn(kinds, kind)).map((kind) =>
    `options.faults.kinds has ${kind}, which is none`
  ),
  ...Object.entries({ atMost, within }).filter(([, value]) => !isWhole(0)(value)).map(([name, value]) =>
    `options.faults.${name} is ${value}, and has to be a whole number from 0`
  ),
  // If every answer of the store were lost, the world would make no progress for days of virtual time.
  ...(lostAnswers >= 0 && lostAnswers < 1
    ? []
    : [`options.faults.lostAnswers is ${lostAnswers}, and has to be from 0 to below 1`])
]

/**
 * The first thing in the options that no world can have, in a sentence. Such a world would not fail: it would run for
 * ever, or to its end with nothing having happened.
 */
export const of = (asked: Options): string | undefined => {
  const { faults, given, nodes, seeds, shards, vendors = [] } = asked
  return [
    ...unknown("options", asked, options),
    ...Object.entries({ nodes, seeds, shards }).filter(([, value]) => value !== undefined && !isWhole(1)(value)).map((
      [name, value]
    ) => `options.${name} is ${value}, and has to be a whole number from 1`),
    ...ofVendors(vendors),
    ...(faults === undefined ? [] : ofFaults(faults)),
    ...(given === undefined ? [] : ImpossibleGiven.of(given))
  ][0]
}
