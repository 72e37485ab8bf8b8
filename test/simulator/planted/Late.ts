import type { Bug } from "./Bugs.ts"

/** Bugs by which something comes too late; the first two no other check than those of lateness sees (I21, I22). */
export const late: ReadonlyArray<Bug> = [
  {
    name: "what is due is read half a minute late",
    seed: 1,
    file: "src/delivery/shards/DueLoop.ts",
    text: "Math.min(sweepInterval, Math.max(0, nextDue - now))",
    becomes: "Math.min(sweepInterval, Math.max(0, nextDue - now) + 30_000)"
  },
  {
    name: "the waits between tries are twice as long as the schedule's",
    seed: 1,
    file: "src/delivery/RetryPolicy.ts",
    text: "Math.round(wait * (0.8",
    becomes: "Math.round(2 * wait * (0.8"
  },
  {
    name: "an escalation waits twice as long as it was told to",
    seed: 48,
    file: "src/delivery/attempts/Escalation.ts",
    text: "after: Math.max(after, shortWait + 1)",
    becomes: "after: 2 * Math.max(after, shortWait + 1)"
  },
  {
    name: "a delay is rounded up to the minute after the next",
    seed: 1,
    file: "src/flows/Delays.ts",
    text: "Math.ceil(delay.duration / minute) * minute",
    becomes: "(Math.ceil(delay.duration / minute) + 1) * minute"
  },
  {
    name: "the time that a caller gives a message is forgotten",
    seed: 30,
    file: "src/delivery/Pipeline.ts",
    text: "(Timeouts.given(message.instructions.timeout?.message) ?? RetryPolicy.messageTimeout)",
    becomes: "RetryPolicy.messageTimeout"
  },
  {
    name: "a provider is given up after its first failure",
    seed: 9,
    file: "src/delivery/attempts/position/OfCandidate.ts",
    text: "situation.waits[mine.length - 1]",
    becomes: "situation.waits[mine.length + 999]"
  }
]
