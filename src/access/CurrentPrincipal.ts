import type { Principal } from "#src/access/ApiKeys.ts"
import { Context } from "effect"

/** Who makes the current request. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()("tidings/CurrentPrincipal") {}
