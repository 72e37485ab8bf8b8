import type { Bug } from "./Bugs.ts"

/** Bugs of send limits: the ordinary worlds have none of these. */
export const limits: ReadonlyArray<Bug> = [
  {
    name: "a limit lets one more through",
    seed: 37,
    file: "src/flows/SendCounts.ts",
    text: "usedOf(one) >= one.most",
    becomes: "usedOf(one) > one.most"
  },
  {
    name: "only users are counted, and no addresses",
    seed: 317,
    file: "src/delivery/pipeline/Throttling.ts",
    text: "recipientKey,\n    userId",
    becomes: "recipientKey: recipient.user_id ?? undefined,\n    userId"
  },
  {
    name: "messages of an excluded topic are held up",
    seed: 77,
    file: "src/flows/Limiting.ts",
    text: "most: isExcluded ? undefined : most",
    becomes: "most"
  },
  {
    name: "members of a list are not counted",
    seed: 37,
    file: "src/delivery/Pipeline.ts",
    text: "if (message.attempts.length === 0 && !(yield* limits",
    becomes: "if (message.attempts.length === 0 && message.lane !== \"bulk\" && !(yield* limits"
  }
]
