import type { Array } from "effect"

/** Random draws from a seed: the same seed draws the same values in the same order. */
export interface Chance {
  /** From 0 to below 1. */
  readonly next: () => number
  /** Both ends included. */
  readonly int: (min: number, max: number) => number
  readonly happens: (probability: number) => boolean
  readonly pick: <A>(items: Array.NonEmptyReadonlyArray<A>) => A
  readonly bytes: (size: number) => Uint8Array
}

/** Mulberry32. The seed is mixed first, so that neighbouring seeds draw unrelated values. */
export const make = (seed: number): Chance => {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0
  const next = () => {
    state = state + 0x6d2b79f5 | 0
    let mixed = Math.imul(state ^ state >>> 15, 1 | state)
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed
    return ((mixed ^ mixed >>> 14) >>> 0) / 4_294_967_296
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    int,
    happens: (probability) => next() < probability,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    bytes: (size) => new Uint8Array(size).map(() => int(0, 255))
  }
}

/** A chance of its own, of which another one draws only the seed. */
export const fork = ({ int }: Chance): Chance => make(int(0, 2 ** 31))
