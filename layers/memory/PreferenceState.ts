import type { Scope } from "#schemas/Scope.ts"
import { HashMap } from "effect"

export interface SectionRow {
  readonly scope: Scope
  readonly id: string
  readonly section: string
  readonly created: number
  readonly updated: number | undefined
}

/** An archived topic stays, for what still names it. */
export interface TopicRow {
  readonly scope: Scope
  readonly id: string
  readonly sectionId: string
  readonly topic: string
  readonly archived: boolean
  readonly created: number
  readonly updated: number
}

/** The page that was published last. */
export interface PageRow {
  readonly version: number
  readonly page: string
}

/** What the stores of preferences hold. What callers wrote is JSON text. */
export interface PreferenceState {
  readonly sections: HashMap.HashMap<string, SectionRow>
  readonly topics: HashMap.HashMap<string, TopicRow>
  readonly pages: HashMap.HashMap<Scope, PageRow>
  /** By user and tenant, then by topic. */
  readonly users: HashMap.HashMap<string, HashMap.HashMap<string, string>>
  readonly recipients: HashMap.HashMap<string, string>
}

export const empty: PreferenceState = {
  sections: HashMap.empty(),
  topics: HashMap.empty(),
  pages: HashMap.empty(),
  users: HashMap.empty(),
  recipients: HashMap.empty()
}
