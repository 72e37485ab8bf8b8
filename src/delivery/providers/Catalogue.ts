import type { Vendor } from "#src/delivery/Provider.ts"
import type { ProviderDefinition } from "#src/delivery/providers/ProviderDefinition.ts"
import { Context, Effect, Schema, SchemaAST, type SchemaIssue, type Scope } from "effect"

/** One setting as the catalogue shows it. A secret is shown masked and never logged. */
export interface SettingField {
  readonly type: "string" | "boolean" | "number" | "enum" | "object"
  readonly required: boolean
  readonly secret: boolean
  readonly values: ReadonlyArray<string> | undefined
}

/** One vendor of the catalogue, its settings' type forgotten. */
export interface CatalogueEntry {
  readonly key: string
  readonly name: string
  readonly description: string
  /** Channel id. */
  readonly channel: string
  readonly fields: Readonly<Record<string, SettingField>>
  /** Names of the settings that say where the secrets are sent. */
  readonly places: ReadonlyArray<string>
  /** Decodes the settings, and answers how to build what sends with them; fails if they are not this vendor's. */
  readonly vendor: (
    settings: Schema.JsonObject
  ) => Effect.Effect<Effect.Effect<Vendor, never, Scope.Scope>, SchemaIssue.Issue>
}

/** The vendors that can be configured. */
export class Catalogue extends Context.Service<Catalogue, {
  readonly entries: ReadonlyArray<CatalogueEntry>
}>()("tidings/Catalogue") {}

/** Older names of vendors that callers may still use (api.md §16). */
const olderKeys: Readonly<Record<string, string>> = { ses: "aws-ses" }

/** The names by which a vendor is known: its key, then its older ones. */
export const namesOf = (key: string): ReadonlyArray<string> => [
  key,
  ...Object.keys(olderKeys).filter((older) => olderKeys[older] === key)
]

export const find = ({ entries }: Catalogue["Service"], key: string): CatalogueEntry | undefined => {
  const own = Object.hasOwn(olderKeys, key) ? olderKeys[key] : key
  return entries.find((entry) => entry.key === own)
}

/**
 * The entries for which every given filter holds: the channel in any case, a part of the name in any case, one of the
 * keys.
 */
export const search = ({ entries }: Catalogue["Service"], filters: {
  readonly channel: string | undefined
  readonly name: string | undefined
  readonly keys: ReadonlyArray<string>
}): ReadonlyArray<CatalogueEntry> => {
  const channel = filters.channel?.toLowerCase()
  const name = filters.name?.toLowerCase()
  const keys = filters.keys.map((key) => Object.hasOwn(olderKeys, key) ? olderKeys[key] : key)
  return entries.filter((entry) =>
    (channel === undefined || entry.channel === channel) &&
    (name === undefined || entry.name.toLowerCase().includes(name)) &&
    (keys.length === 0 || keys.includes(entry.key))
  )
}

const parts = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isUnion(ast) ? ast.types.flatMap(parts) : [ast]

/** Whether a value of this type holds a secret, itself or in any of its members. */
const isSecret = (ast: SchemaAST.AST): boolean =>
  parts(ast).some((part) =>
    isRedacted(part) || (SchemaAST.isObjects(part) && part.propertySignatures.some(({ type }) => isSecret(type)))
  )

const isRedacted = (ast: SchemaAST.AST): boolean => {
  const representation: unknown = ast.annotations?.["representation"]
  return typeof representation === "object" && representation !== null && "id" in representation &&
    representation.id === "effect/schema/Redacted"
}

const typeOf = (ast: ReadonlyArray<SchemaAST.AST>): SettingField["type"] => {
  const [first] = ast
  if (first === undefined || SchemaAST.isString(first) || SchemaAST.isTemplateLiteral(first)) return "string"
  if (ast.every(SchemaAST.isLiteral)) return "enum"
  if (SchemaAST.isBoolean(first)) return "boolean"
  return SchemaAST.isNumber(first) ? "number" : "object"
}

/** What the schema says of its fields: as they are written in JSON, and which of them it keeps secret. */
const fieldsOf = (settings: Schema.Top): CatalogueEntry["fields"] => {
  const { ast } = settings
  const json = Schema.toCodecJson(settings).ast
  if (!SchemaAST.isObjects(ast) || !SchemaAST.isObjects(json)) return {}
  return Object.fromEntries(json.propertySignatures.map(({ name, type }) => {
    const own = ast.propertySignatures.find((signature) => signature.name === name)
    const encoded = SchemaAST.toEncoded(type)
    const written = parts(encoded).filter((part) => !SchemaAST.isNull(part) && !SchemaAST.isUndefined(part))
    const kind = typeOf(written)
    return [String(name), {
      type: kind,
      required: !SchemaAST.isOptional(encoded),
      secret: own !== undefined && isSecret(SchemaAST.toType(own.type)),
      values: kind === "enum"
        ? written.flatMap((part) => SchemaAST.isLiteral(part) ? [String(part.literal)] : [])
        : undefined
    }]
  }))
}

/** Makes a definition an entry of the catalogue, given the services that its vendor needs to be built. */
export const entry = <Settings, R>({ make, settings, ...definition }: ProviderDefinition<Settings, R>) => {
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(settings), { errors: "all" })
  const fields = fieldsOf(settings)
  return (context: Context.Context<R>): CatalogueEntry => ({
    ...definition,
    fields,
    vendor: (given) =>
      decode(given).pipe(
        Effect.mapError(({ issue }) => issue),
        Effect.map((decoded) => Effect.provideContext(make(decoded), context))
      )
  })
}
