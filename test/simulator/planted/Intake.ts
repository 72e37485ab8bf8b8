import type { Bug } from "./Bugs.ts"

/** Bugs of taking requests in: what is stored is not what was said. */
export const intake: ReadonlyArray<Bug> = [
  {
    name: "the idempotency key is not stored with its request",
    seed: 1,
    file: "src/delivery/Intake.ts",
    text: "const key = yield* CurrentKey\n      const accepted",
    becomes: "const key = undefined\n      const accepted"
  },
  {
    name: "a delay is forgotten",
    seed: 2,
    file: "src/delivery/intake/Addressing.ts",
    text: "dueAt: start ?? 0",
    becomes: "dueAt: 0"
  },
  {
    name: "a resend waits as its original did",
    seed: 103,
    file: "src/delivery/Intake.ts",
    text: "const { delay: _, ...now } = instructions",
    becomes: "const now = instructions"
  },
  {
    name: "what a caller says of the topic is forgotten",
    seed: 1,
    file: "src/delivery/Intake.ts",
    text: "send: (principal, { to, ...instructions }, respond)",
    becomes: "send: (principal, { to, preferences: _, ...instructions }, respond)"
  },
  {
    name: "each of several recipients gets the address of the first",
    seed: 1,
    file: "src/delivery/intake/Drafts.ts",
    text: "Addressing.member(request, id, recipient, identity, shards)",
    becomes: "Addressing.member(request, id, recipients[0] ?? recipient, identity, shards)"
  },
  {
    name: "each message has a mailbox of its own",
    seed: 8,
    file: "src/delivery/intake/Addressing.ts",
    text: "recipientKey: identity.key,",
    becomes: "recipientKey: `${identity.key} ${id}`,"
  }
]
