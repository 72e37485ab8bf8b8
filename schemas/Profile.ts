import { JsonMap } from "#schemas/Optional.ts"
import { Schema } from "effect"

/** A caller's id of a user: any text of 1–512 characters but NUL, which Postgres cannot hold. */
export const UserId = Schema.NonEmptyString.check(Schema.isMaxLength(512), Schema.isPattern(/^[^\u0000]*$/)).pipe(
  Schema.brand("UserId")
)
export type UserId = typeof UserId.Type

/** An open JSON object; api.md 2.2 lists the keys that channels read. */
export const Profile = JsonMap
export type Profile = typeof Profile.Type
