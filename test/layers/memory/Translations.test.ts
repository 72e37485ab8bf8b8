import { translationsContract } from "#test/contracts/Translations.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

translationsContract("memory", Stores.layer)
