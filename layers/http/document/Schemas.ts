import { isList, isObject, type Value } from "#schemas/Json.ts"
import { type Schema, SchemaAST } from "effect"
import type { OpenApi } from "effect/http-api"

/** What Effect writes beside known keys for others of any name. */
const anyKeys = JSON.stringify([{ type: "object", additionalProperties: {} }])

/** The whole numbers that JavaScript has. */
const isAnyInteger = ({ maximum, minimum, type }: Schema.JsonObject): boolean =>
  type === "integer" && (minimum ?? Number.MIN_SAFE_INTEGER) === Number.MIN_SAFE_INTEGER &&
  (maximum ?? Number.MAX_SAFE_INTEGER) === Number.MAX_SAFE_INTEGER

const distinct = (
  values: ReadonlyArray<Schema.Json>
): ReadonlyArray<Schema.Json> => [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]

/**
 * The names of schemas: their titles, since an identifier would be told to callers in place of what was expected, and
 * the identifiers of errors without what Effect adds for their other form in this program.
 */
export const named: OpenApi.FromApiOptions = {
  referencePolicy: ({ ast, identifier }) => identifier?.replace(/Encoded$/, "") ?? SchemaAST.resolveTitle(ast)
}

const isEmptyText = (schema: Value): boolean =>
  isObject(schema) && isList(schema["enum"]) && schema["enum"].every((value) => value === "")

/** Without the empty text, which any parameter of a query may be, and which counts as left out. */
const filled = (schema: Schema.JsonObject): Schema.JsonObject => {
  const { anyOf, enum: values } = schema
  if (isList(values)) return { ...schema, enum: values.filter((value) => value !== "") }
  const [only, ...others] = isList(anyOf) ? anyOf.filter((member) => !isEmptyText(member)) : []
  return isObject(only) && others.length === 0 ? only : schema
}

/** The schema of a parameter of a query: what its text stands for. */
const ofQuery = (name: string, schema: Schema.JsonObject): Schema.JsonObject => {
  if (name === "limit") return { type: "integer", format: "int32" }
  const given = filled(schema)
  return JSON.stringify(given["enum"]) === `["true","false"]` ? { type: "boolean" } : given
}

const parameter = (described: Schema.JsonObject): Schema.JsonObject => {
  const { in: place, name, schema } = described
  return place === "query" && typeof name === "string" && isObject(schema)
    ? { ...described, allowEmptyValue: true, schema: ofQuery(name, schema) }
    : described
}

const rewritten = ({ additionalProperties, allOf, anyOf, ...rest }: Schema.JsonObject): Schema.JsonObject => {
  const isOpen = JSON.stringify(allOf) === anyKeys
  const { maximum: _, minimum: __, ...unbounded } = rest
  return parameter({
    ...(isAnyInteger(rest) ? { ...unbounded, format: "int64" } : rest),
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
    ...(isOpen ? { additionalProperties: true } : allOf === undefined ? {} : { allOf }),
    ...(isList(anyOf) ? { anyOf: distinct(anyOf) } : {})
  })
}

/** Schemas by their names, without titles, of which a schema that narrows another has the other's. */
const untitled = (schemas: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (!isObject(schema)) return [name, schema]
      const { title: _, ...rest } = schema
      return [name, rest]
    })
  )

/**
 * An OpenAPI document as generators of clients take it. Effect closes each object, although unknown keys are ignored in
 * requests, and replies will have more keys one day; and it gives whole numbers bounds, where generators want to be told
 * that 32 bits are too few for epoch ms.
 */
export const tidied = (document: object): Record<string, Schema.Json> =>
  JSON.parse(
    JSON.stringify(document),
    (key, value: Schema.Json) => !isObject(value) ? value : key === "schemas" ? untitled(value) : rewritten(value)
  )
