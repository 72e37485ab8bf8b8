import { Context } from "effect"

/**
 * Annotates a GET whose lookups all go out together: they have a caller's patience themselves, and to wait for them once more would cost each
 * read a fiber.
 */
export const AnsweredByLookup = Context.Reference<boolean>("tidings/api/AnsweredByLookup", {
  defaultValue: () => false
})
