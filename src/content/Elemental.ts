import type { Content, Element } from "#schemas/Elemental.ts"
import type { Action } from "#schemas/Rendered.ts"
import type { Block } from "#src/content/Block.ts"
import { type Budget, limits } from "#src/content/Budget.ts"
import { inline, type Inline } from "#src/content/Inline.ts"
import { isList, isObject, type Value } from "#src/content/Own.ts"
import * as Plain from "#src/content/Plain.ts"
import { fill, type Scope, valueAt } from "#src/content/Variables.ts"
import * as Conditions from "#src/delivery/Conditions.ts"
import { Result, type Schema } from "effect"

/** What a channel's elements say: the title, the blocks in their order, and the actions among them. */
export interface Document {
  readonly title: string
  readonly blocks: ReadonlyArray<Block>
  readonly actions: ReadonlyArray<Action>
}

/** For whom and with what the elements are rendered. */
export interface Target {
  readonly channel: string
  readonly provider: string
  readonly scope: Omit<Scope, "refs" | "loop">
  readonly budget: Budget
}

const isElement = (value: Value): value is Element => isObject(value) && typeof value["type"] === "string"

const elementsOf = (value: Value): ReadonlyArray<Element> => isList(value) ? value.filter(isElement) : []

const flag = (value: Value): boolean => value === true || value === "true"

const styles = ["h1", "h2", "h3", "subtext"] as const

/** Renders the elements of a message for one channel (api.md 2.5). Types it does not know are skipped. Ends early by the budget. */
export const document = (content: Content, { budget, channel, provider, scope }: Target): Document => {
  const blocks: Array<Block> = []
  const refs: { [name: string]: Schema.Json } = Object.create(null)
  let title = content.title ?? undefined

  const source = (element: Element, key: string): string => {
    const value = element[key]
    if (value === undefined || value === null) return ""
    if (typeof value === "string") return value
    budget.fail(`The "${key}" of an element of type "${element.type.slice(0, 80)}" is not a text`)
    return ""
  }

  const isFor = (names: Value): boolean => !isList(names) || names.includes(channel) || names.includes(provider)

  const holds = (element: Element, inside: Scope): boolean => {
    const condition = element["if"]
    if (condition === undefined || condition === null) return true
    if (typeof condition === "boolean") return condition
    const held = Conditions.evaluate(source(element, "if"), { ...inside, $: inside.loop }, budget.scan)
    if (Result.isSuccess(held)) return held.success
    budget.fail(held.failure.detail)
    return false
  }

  const child = (element: Element, inside: Scope): ReadonlyArray<Inline> => {
    if (!budget.step() || !isFor(element["channels"]) || !holds(element, inside)) return []
    const text = fill(source(element, "content"), inside, budget, "kept")
    if (element.type === "link")
      return [{ _tag: "Link", text, href: fill(source(element, "href"), inside, budget, "kept") }]
    if (element.type !== "string") return []
    const emphases = [
      ...(flag(element["bold"]) ? ["strong" as const] : []),
      ...(flag(element["italic"]) ? ["em" as const] : []),
      ...(flag(element["strikethrough"]) ? ["del" as const] : []),
      ...(flag(element["underline"]) ? ["u" as const] : [])
    ]
    return [
      ...emphases.map((emphasis) => ({ _tag: "Open" as const, emphasis })),
      { _tag: "Text", text },
      ...emphases.toReversed().map((emphasis) => ({ _tag: "Close" as const, emphasis }))
    ]
  }

  const inlinesOf = (element: Element, inside: Scope): ReadonlyArray<Inline> =>
    isList(element["elements"])
      ? elementsOf(element["elements"]).flatMap((piece) => child(piece, inside))
      : inline(fill(source(element, "content"), inside, budget, "hidden"), budget)

  const put = (element: Element, inside: Scope, depth: number): void => {
    switch (element.type) {
      case "meta":
        title ??= source(element, "title") === "" ? undefined : fill(source(element, "title"), inside, budget, "kept")
        return
      case "text": {
        const style = styles.find((known) => known === element["text_style"]) ?? "text"
        const align = source(element, "align")
        blocks.push({ _tag: "Paragraph", style, align, inlines: inlinesOf(element, inside) })
        return
      }
      case "quote":
        blocks.push({ _tag: "Quote", inlines: inlinesOf(element, inside) })
        return
      case "action":
        blocks.push({
          _tag: "Action",
          content: Plain.oneLine(fill(source(element, "content"), inside, budget, "kept")),
          href: fill(source(element, "href"), inside, budget, "kept").trim()
        })
        return
      case "divider":
        blocks.push({ _tag: "Divider" })
        return
      case "group":
        walk(elementsOf(element["elements"]), inside, depth + 1)
    }
  }

  const name = (element: Element, visible: boolean, first: number): void => {
    const ref = element["ref"]
    if (typeof ref !== "string") return
    const content = Plain.text(blocks.slice(first), { between: "\n", withActions: true })
    refs[ref] = { ...element, ...(visible ? { content } : {}), visible }
  }

  const repeat = (element: Element, inside: Scope, depth: number): boolean => {
    const items = valueAt(source(element, "loop"), inside) ?? []
    if (!isList(items)) {
      budget.fail(`The loop over "${source(element, "loop").slice(0, 80)}" needs a list`)
      return false
    }
    let visible = false
    for (const [index, item] of items.entries()) {
      if (!budget.turn()) return visible
      const turn = { ...inside, loop: { item, index } }
      if (!holds(element, turn)) continue
      visible = true
      put(element, turn, depth)
    }
    return visible
  }

  const walk = (elements: ReadonlyArray<Element>, inside: Scope, depth: number): void => {
    if (depth > limits.depth) return budget.fail(`Elements are nested more than ${limits.depth} deep`)
    for (const element of elements) {
      if (!budget.step()) return
      const first = blocks.length
      const looped = element["loop"] !== undefined && element["loop"] !== null
      let visible = isFor(element["channels"])
      if (visible && looped) visible = repeat(element, inside, depth)
      else if (visible && (visible = holds(element, inside))) put(element, inside, depth)
      name(element, visible, first)
    }
  }

  const top: Scope = { ...scope, refs, loop: undefined }
  if (title !== undefined) title = fill(title, top, budget, "kept")
  if (typeof content.body === "string") {
    const inlines = inline(fill(content.body, top, budget, "hidden"), budget)
    blocks.push({ _tag: "Paragraph", style: "text", align: "", inlines })
  }
  walk(forChannel(content.elements ?? [], channel, provider), top, 0)

  return {
    title: title ?? "",
    blocks,
    actions: blocks.flatMap((block) => block._tag === "Action" ? [{ content: block.content, href: block.href }] : [])
  }
}

/** Where the top level is `channel` elements, the one for this provider, channel or else `default` speaks. */
const forChannel = (elements: ReadonlyArray<Element>, channel: string, provider: string): ReadonlyArray<Element> => {
  const parts = elements.filter((element) => element.type === "channel")
  if (parts.length === 0) return elements
  const chosen = [provider, channel, "default"].flatMap((id) => parts.filter((part) => part["channel"] === id))[0]
  return elementsOf(chosen?.["elements"])
}
