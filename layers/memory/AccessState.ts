import { HashMap } from "effect"

/** What the stores of translations, devices, submissions, audit and request counts hold. */
export interface AccessState {
  readonly translations: HashMap.HashMap<string, string>
}

export const empty: AccessState = {
  translations: HashMap.empty()
}
