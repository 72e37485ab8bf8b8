import { Option, Predicate, Schema, SchemaGetter } from "effect"

/** A field that a response leaves out if its value is `undefined`. */
export const maybe = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Schema.optionalKey(schema).pipe(
    Schema.decodeTo(Schema.optional(Schema.toType(schema)), {
      decode: SchemaGetter.passthroughSubtype(),
      encode: SchemaGetter.transformOptional(Option.filter(Predicate.isNotUndefined))
    })
  )
