import { type DefaultTreeAdapterTypes, parse } from "parse5"

type Node = DefaultTreeAdapterTypes.Node

/** What a browser makes of HTML: its elements in their order, and the text outside of scripts and styles. */
export interface Dom {
  readonly elements: ReadonlyArray<{ readonly name: string; readonly attributes: ReadonlyMap<string, string> }>
  readonly text: string
  readonly code: string
}

const walk = (
  node: Node,
  found: { elements: Array<Dom["elements"][number]>; text: string; code: string },
  isCode: boolean
): void => {
  if ("tagName" in node)
    found.elements.push({
      name: node.tagName,
      attributes: new Map(node.attrs.map(({ name, value }) => [name, value]))
    })
  if (node.nodeName === "#text" && "value" in node) {
    if (isCode) found.code += node.value
    else found.text += node.value
  }
  if ("childNodes" in node) {
    for (const child of node.childNodes)
      walk(child, found, isCode || node.nodeName === "script" || node.nodeName === "style")
  }
  if ("content" in node) walk(node.content, found, isCode)
}

export const dom = (html: string): Dom => {
  const found = { elements: [], text: "", code: "" }
  walk(parse(html), found, false)
  return found
}

/** Elements and the names of their attributes: what data must never change. `br` may come of line ends. */
export const skeleton = (html: string): string =>
  dom(html).elements
    .filter(({ name }) => name !== "br")
    .map(({ attributes, name }) => `${name}[${[...attributes.keys()].join(" ")}]`)
    .join(" ")
