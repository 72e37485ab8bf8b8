import type { Bug } from "./Bugs.ts"

/** Bugs of what listeners are told (I30–I32), which no other check sees. */
export const listeners: ReadonlyArray<Bug> = [
  {
    name: "what a listener refused is taken for told",
    seed: 26,
    file: "src/reports/webhooks/Round.ts",
    text: `told: events.flatMap(({ event, outcome }) => outcome._tag === "Failed" ? [] : [event.id])`,
    becomes: "told: events.map(({ event }) => event.id)"
  },
  {
    name: "a listener that is told again what it refused is not given its time",
    seed: 26,
    file: "src/reports/webhooks/Calls.ts",
    text: `retryAfter: isBusy ? RetryAfter.parse(answer.headers["retry-after"], now) : undefined`,
    becomes: "retryAfter: isBusy ? 0 : undefined"
  },
  {
    name: "a listener is told what a message is by now",
    seed: 26,
    file: "src/reports/webhooks/Updated.ts",
    text: "    status: update.status,\n    sent",
    becomes: "    status: record.status,\n    sent"
  },
  {
    name: "a listener is told of a message with times that it did not have then",
    seed: 26,
    file: "src/reports/webhooks/Updated.ts",
    text: "time !== undefined && hadCome(update, step, time) ? time : undefined",
    becomes: "time"
  },
  {
    name: "what was told is not written down where a listener refused something else",
    seed: 186,
    file: "src/reports/webhooks/Calls.ts",
    text: `      outcomes.set(event.id, outcome)`,
    becomes: `      if (failures === 0) outcomes.set(event.id, outcome)`
  }
]
