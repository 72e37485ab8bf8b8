import type { Unknown } from "#schemas/History.ts"

/** What a message names and does not exist; `undefined`: nothing. */
export const of = (
  { brand, tenant, topic }: {
    readonly brand?: string | undefined
    readonly tenant?: string | undefined
    readonly topic?: string | undefined
  }
): Unknown | undefined =>
  brand === undefined && tenant === undefined && topic === undefined ? undefined : {
    ...(tenant === undefined ? {} : { tenant }),
    ...(topic === undefined ? {} : { topic }),
    ...(brand === undefined ? {} : { brand })
  }
