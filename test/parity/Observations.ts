import type { MessageId } from "#schemas/MessageId.ts"
import { Journal, type Observed } from "#src/delivery/Journal.ts"
import type * as Fixture from "#test/contracts/Fixture.ts"
import type { Chooser } from "#test/src/content/Choices.ts"

const events = ["Deliver", "Open", "Click", "Bounce", "Cancel"] as const
const providers = ["null", "smtp", "SMTP"] as const
const maybe = <A>({ below }: Chooser, value: () => A): A | undefined => below(2) === 0 ? undefined : value()

/** An event of this message from the second door, in one of its many forms. */
export const observed = (place: Fixture.World, choose: Chooser, target: MessageId, clock: number) => {
  const event = choose.from(events)
  const types = {
    Deliver: "DELIVERED",
    Open: "OPENED",
    Click: "CLICKED",
    Bounce: "UNDELIVERABLE",
    Cancel: "CANCELED"
  } as const
  const observed: Observed = {
    scope: place.scope,
    id: target,
    event,
    history: {
      type: types[event],
      ts: clock - choose.below(3),
      ...choose.from<{ error?: string }>([{}, { error: "bounced" }, { error: "" }])
    },
    reason: maybe(choose, () => "BOUNCED"),
    eventId: maybe(choose, () => choose.from(["1", "", "é"])),
    call: maybe(choose, () => ({
      providers: [choose.from(providers)],
      number: maybe(choose, () => 1 + choose.below(3)),
      reference: maybe(choose, () => choose.from(["ref", ""]))
    }))
  }
  return { said: { observe: observed }, run: Journal.use((_) => _.observe(observed)) }
}
