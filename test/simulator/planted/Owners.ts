import type { Bug } from "./Bugs.ts"

/** Bugs of owning shards and of handing them over; worlds whose shards move at once show most of them soonest. */
export const owners: ReadonlyArray<Bug> = [
  {
    name: "a fenced intent is called all the same",
    seed: 129,
    file: "src/delivery/attempts/Call.ts",
    text: `case "Fenced":
      return Effect.succeed(fenced)`,
    becomes: `case "Fenced":
      return place(one)`
  },
  {
    name: "found: a shard is handed over while its epoch is being taken, which then fences the next owner",
    seed: 150,
    file: "src/delivery/shards/Owned.ts",
    text: "Effect.uninterruptible(journal.take(shard, node, yield* Clock.currentTimeMillis))",
    becomes: "journal.take(shard, node, yield* Clock.currentTimeMillis)"
  },
  {
    name: "an owner takes what it accepted itself before what others accepted",
    seed: 79,
    file: "src/delivery/Shards.ts",
    text: "direct: () => isAlone,",
    becomes: "direct: () => true,"
  },
  {
    name: "a drain ends the next time that its node owns the shard",
    seed: 171,
    file: "src/delivery/shards/Owned.ts",
    text: "if (owners.get(owner.shard) === owner) owners.delete(owner.shard)",
    becomes: "owners.delete(owner.shard)"
  },
  {
    name: "a shard is handed over before its steps have ended",
    seed: 131,
    file: "src/delivery/shards/Owned.ts",
    text: "if (owner.running > 0 && until > now) {",
    becomes: "if (owner.running > 99 && until > now) {"
  },
  {
    name: "a step begins in a shard that is being given up",
    seed: 60,
    file: "src/delivery/shards/Owned.ts",
    text: "boolean => drainsUntil !== undefined",
    becomes: "boolean => drainsUntil === 0n"
  },
  {
    name: "what was given up with the shard is not read again when the shard is back",
    seed: 6610,
    file: "src/delivery/shards/Reader.ts",
    text: "givenUp.add(recipientKey)\n      behind()",
    becomes: "givenUp.add(recipientKey)"
  },
  {
    name: "what is newer than what was given up with the shard passes it",
    seed: 1552,
    file: "src/delivery/shards/Reader.ts",
    text: "givenUp.add(recipientKey)\n      behind()",
    becomes: "behind()"
  },
  {
    name: "a call that waited for a connection relies on the proof of before",
    seed: 113,
    file: "src/delivery/attempts/Call.ts",
    text: "return isStale(intended, now)\n        ?",
    becomes: "return isStale(intended, 0n)\n        ?"
  },
  {
    name: "a recipient has a mailbox for each lane, and so two messages in hand",
    seed: 9,
    file: "src/delivery/Shards.ts",
    text: "if (mailboxes.offer(message)) return true",
    becomes: "if (mailboxes.offer({ ...message, recipientKey: `${message.recipientKey} ${message.lane}` })) return true"
  }
]
