import type { Rendered } from "#schemas/Rendered.ts"

/**
 * What a recipient reads, and the addresses of buttons: all that was rendered but the HTML, whose style sheets have words
 * such as `border` and `left`. One part a line.
 */
export const of = ({ actions, blocks, body, native, raw, subject, text, title }: Rendered): string =>
  [
    ...new Set([
      title,
      subject,
      body,
      text,
      ...blocks.map((block) => block.text),
      ...actions.flatMap(({ content, href }) => [content, href]),
      ...(raw === undefined ? [] : [JSON.stringify(raw)]),
      ...(native === undefined ? [] : [JSON.stringify(native)])
    ])
  ].filter((part) => part !== "").join("\n")
