import * as Fake from "#test/support/Fake.ts"
/** The product with a provider that takes 50 ms per call and does nothing else. */
import * as App from "#layers/App.ts"
import * as Run from "#layers/Run.ts"
import { Effect } from "effect"

const quick = Fake.nothing("null", "email")

Run.main(App.layer(Fake.layer([{ ...quick, send: (delivery) => Effect.delay(quick.send(delivery), "50 millis") }])))
