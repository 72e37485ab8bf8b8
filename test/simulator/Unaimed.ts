import * as Faults from "#layers/testing/Faults.ts"

/** Faults at any time: a share of aimed ones would give all seeds other worlds, and planted bugs are found at known ones. */
export const all: Faults.Faults = { ...Faults.all, aimed: 0 }
