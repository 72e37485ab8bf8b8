import * as App from "#layers/App.ts"
import * as Fake from "#layers/providers/Fake.ts"
import * as Run from "#layers/Run.ts"

Run.main(App.layer(Fake.layer([Fake.nothing("null", "email")])))
