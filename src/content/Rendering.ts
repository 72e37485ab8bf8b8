import type { Rendered } from "#schemas/Rendered.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Content from "#src/content/Content.ts"
import { languageOf } from "#src/content/elemental/Locales.ts"
import { Layouts } from "#src/content/Layouts.ts"
import { Mjml } from "#src/content/Mjml.ts"
import { defaultDomain, Translations } from "#src/content/Translations.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import type { Turn } from "#src/fibers/Turns.ts"
import { Context, Effect, Layer, Option, Result } from "effect"

/**
 * Renders one channel of a message with everything that is stored elsewhere: its brand's page, the workspace's
 * translations, compiled MJML. `turn`: whose compilation it is.
 */
export class Rendering extends Context.Service<Rendering, {
  readonly render: (
    scope: Scope,
    input: Content.Input,
    turn: Turn
  ) => Effect.Effect<Rendered, Content.RenderFailed | Content.NothingToSay>
}>()("tidings/Rendering") {}

/** What was rendered, unless that says nothing. */
const said = (
  channel: string,
  { finish, isNothing }: Content.Prepared,
  compiled: string | undefined
): Result.Result<Rendered, Content.RenderFailed | Content.NothingToSay> => {
  const rendered = finish(compiled)
  return Result.isSuccess(rendered) && isNothing(rendered.success)
    ? Result.fail(new Content.NothingToSay({ detail: `The content has nothing for ${channel}` }))
    : rendered
}

export const layer = Layer.effect(
  Rendering,
  Effect.gen(function*() {
    const layouts = yield* Layouts
    const mjml = yield* Mjml
    const translations = yield* Translations

    const around = Effect.fnUntraced(function*(scope: Scope, input: Content.Input) {
      const branding = input.brand === undefined || input.channel !== "email"
        ? undefined
        : yield* layouts.of(input.brand)
      const locale = languageOf(input.profile["locale"])
      const catalogue = locale === undefined
        ? undefined
        : Option.getOrUndefined(yield* Write.patiently(translations.find(scope, defaultDomain, locale)))
      return { ...input, branding, translate: catalogue?.text }
    })

    const finished = (channel: string, prepared: Content.Prepared, turn: Turn) =>
      prepared.mjml === undefined
        ? Effect.fromResult(said(channel, prepared, undefined))
        : mjml.compile(prepared.mjml, turn).pipe(
          Effect.mapError(({ detail }) => new Content.RenderFailed({ detail })),
          Effect.flatMap((html) => Effect.fromResult(said(channel, prepared, html)))
        )

    return Rendering.of({
      render: (scope, input, turn) =>
        // Most messages need nothing stored elsewhere, and are rendered at once.
        (input.brand === undefined && input.profile["locale"] === undefined
          ? Effect.suspend(() => Effect.fromResult(Content.prepare(input)))
          : Effect.flatMap(around(scope, input), (whole) => Effect.fromResult(Content.prepare(whole))))
          .pipe(Effect.flatMap((prepared) => finished(input.channel, prepared, turn)))
    })
  })
)
