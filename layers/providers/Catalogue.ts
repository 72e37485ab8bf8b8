import * as Apn from "#layers/providers/Apn.ts"
import * as AwsSes from "#layers/providers/AwsSes.ts"
import * as Discord from "#layers/providers/Discord.ts"
import * as Expo from "#layers/providers/Expo.ts"
import * as FirebaseFcm from "#layers/providers/FirebaseFcm.ts"
import * as MsTeams from "#layers/providers/MsTeams.ts"
import * as Postmark from "#layers/providers/Postmark.ts"
import * as Resend from "#layers/providers/Resend.ts"
import * as SendGrid from "#layers/providers/SendGrid.ts"
import * as Slack from "#layers/providers/Slack.ts"
import * as Twilio from "#layers/providers/Twilio.ts"
import * as Vonage from "#layers/providers/Vonage.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import type { ProviderDefinition } from "#src/delivery/ProviderDefinition.ts"
import { Effect, Schema, SchemaAST, type Scope } from "effect"

/** A field of a provider's settings (api.md §16); `secret` ones are stored encrypted and shown masked. */
export interface Field {
  readonly type: "string" | "boolean" | "number" | "enum"
  readonly required: boolean
  readonly values?: ReadonlyArray<string>
  readonly secret?: true
}

const kindOf = (ast: SchemaAST.AST): Pick<Field, "type" | "values"> => {
  if (SchemaAST.isBoolean(ast)) return { type: "boolean" }
  if (SchemaAST.isNumber(ast)) return { type: "number" }
  const literals = SchemaAST.isUnion(ast) ? ast.types : [ast]
  const values = literals.flatMap((one) => SchemaAST.isLiteral(one) ? [`${one.literal}`] : [])
  return values.length > 0 && values.length === literals.length ? { type: "enum", values } : { type: "string" }
}

const isRedacted = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isDeclaration(ast) && ast.annotations?.["expected"] === "Redacted"

/** The settings of a definition, field by field, as they are sent to us. */
export const describe = (definition: { readonly settings: Schema.Top }): Readonly<Record<string, Field>> => {
  const { ast } = definition.settings
  const fields = SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  return Object.fromEntries(fields.map(({ name, type }): [string, Field] => [
    String(name),
    {
      ...kindOf(SchemaAST.toEncoded(type)),
      required: !SchemaAST.isOptional(type),
      ...(isRedacted(type) ? { secret: true } : {})
    }
  ]))
}

/** A definition whose settings' type is its own affair: it takes them as they were sent, or as they were stored. */
export interface Entry<R> extends Omit<ProviderDefinition<unknown, R>, "settings" | "make"> {
  readonly settings: Readonly<Record<string, Field>>
  readonly configure: (settings: unknown) => Effect.Effect<Vendor, Schema.SchemaError, R | Scope.Scope>
}

const entry = <Settings, R>(definition: ProviderDefinition<Settings, R>): Entry<R> => ({
  key: definition.key,
  name: definition.name,
  description: definition.description,
  channel: definition.channel,
  address: definition.address,
  settings: describe(definition),
  configure: (settings) =>
    Effect.flatMap(Schema.decodeUnknownEffect(definition.settings)(settings), definition.make)
})

/** Every provider that can be configured, by channel and name. */
export const all = [
  entry(AwsSes.definition),
  entry(Postmark.definition),
  entry(Resend.definition),
  entry(SendGrid.definition),
  entry(Twilio.definition),
  entry(Vonage.definition),
  entry(Apn.definition),
  entry(Expo.definition),
  entry(FirebaseFcm.definition),
  entry(Discord.definition),
  entry(MsTeams.definition),
  entry(Slack.definition)
]

/** By catalogue key; `ses` is an older name (api.md §16). */
export const find = (key: string) => all.find((one) => one.key === (key === "ses" ? "aws-ses" : key))
