import { Id } from "#schemas/Id.ts"
import { JsonMap } from "#schemas/Optional.ts"
import { Schema } from "effect"

/** A caller's id of a user. */
export const UserId = Id.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** An open JSON object; api.md 2.2 lists the keys that channels read. */
export const Profile = JsonMap
export type Profile = typeof Profile.Type
