import type { Bug } from "./Bugs.ts"

/** Bugs of what providers tell, which no other check than that of receipts sees (I28). */
export const receipts: ReadonlyArray<Bug> = [
  {
    name: "a receipt that the store did not take is acknowledged",
    seed: 8,
    file: "src/reports/Receipts.ts",
    text: "      applying(scope, providers, receipts)\n    )",
    becomes: "      Effect.catch(applying(scope, providers, receipts), () => Effect.void)\n    )"
  }
]
