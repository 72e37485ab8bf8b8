import { Budget } from "#src/content/Budget.ts"
import { parse } from "#src/content/template/Parser.ts"
import { run } from "#src/content/template/Run.ts"
import { rootOf } from "#src/content/Variables.ts"
import { type Chooser, chooser, Choices } from "#test/src/content/Choices.ts"
import { Effect, Result, Schema } from "effect"
import Handlebars from "handlebars"

const data = {
  "name": "Ada B",
  "count": 0,
  "yes": true,
  "no": false,
  "nothing": null,
  "empty": [],
  "list": ["a", "b"],
  "items": [{ "name": "one", "tags": ["x", "y"], "key": "k" }, { "name": "two", "tags": [], "key": "z" }],
  "user": { "name": "Eve", "k": 1, "address": { "city": "Rome" } }
}

const render = (source: string, over: Schema.JsonObject = data): string => {
  const budget = new Budget()
  const program = parse(source)
  if (Result.isFailure(program)) return `! ${program.failure.detail}`
  const scope = { data: over, profile: {}, system: {}, refs: {}, loop: undefined }
  const output = run(program.success, rootOf(scope), budget, (text) => text)
  return budget.failure === undefined ? output : `! ${budget.failure.detail}`
}

const paths = [
  "name",
  "count",
  "yes",
  "no",
  "nothing",
  "missing",
  "missing.deeper",
  "list",
  "list.[0]",
  "list.length",
  "items.0.name",
  "user.name",
  "user/address/city",
  "this.name",
  "./name",
  "this",
  "../name",
  "../../count",
  "@index",
  "@key",
  "@first",
  "@last",
  "@../index",
  "@root.user.name",
  "[name]",
  "lookup user 'k'",
  "lookup user (lookup this 'key')",
  "it",
  "it.name",
  "at"
] as const

const texts = ["", "x", " ", "\n", "  \n", "\n  ", " a\n ", "\\{{no}} ", "{ } }} ", "\r\n", "\\\\"] as const

/** A template that Handlebars can render, with all the white space it may care about. */
const templateOf = ({ below, from }: Chooser, depth: number): string => {
  const open = (): string => from(["{{", "{{", "{{~"])
  const close = (): string => from(["}}", "}}", "~}}"])
  const subject = (): string => from(["list", "items", "user", "empty", "tags", "this.tags", "nothing", "yes", "no", "count", "this", "../items", "user.address"])
  const inner = (): string => templateOf({ below, from }, depth - 1)
  const part = (): string => {
    switch (below(depth > 0 ? 7 : 3)) {
      case 0:
        return from(texts)
      case 1:
        return `${open()}${from(["", " "])}${from(paths)} ${close()}`
      case 2:
        return from(["{{! note }}", "{{!-- a }} b --}}", "{{{name}}}", "{{&name}}", "\n {{! alone }} \n"])
      case 3: {
        const kind = from(["each", "with", "if", "unless"])
        const names = kind === "each" ? from(["", "", " as |it at|"]) : kind === "with" ? from(["", " as |it|"]) : ""
        const otherwise = from(["", `${open()}else${close()}${inner()}`, `${open()}^${close()}${inner()}`, `{{else if ${subject()}}}${inner()}{{else}}${inner()}`])
        return `${open()}#${kind} ${subject()}${names}${close()}${inner()}${otherwise}${open()}/${kind}${close()}`
      }
      case 4: {
        const name = from(["list", "items", "user", "no", "yes", "nothing", "empty"])
        return `${open()}#${name}${close()}${inner()}${open()}/${name}${close()}`
      }
      case 5: {
        const name = from(["list", "no", "nothing", "empty"])
        return `${open()}^${name}${close()}${inner()}${open()}/${name}${close()}`
      }
      default:
        return `${from(texts)}${inner()}`
    }
  }
  return Array.from({ length: 1 + below(4) }, part).join("")
}

const oracle = (source: string): string => Handlebars.create().compile(source)(data)


let bad=0, multi=0
for(let i=0;i<60000&&bad<8;i++){const ch=Array.from({length:200},()=>Math.floor(Math.random()*9999));const src=templateOf(chooser(ch),3);if(src.includes("{{#"))multi++
let o: string; try{o=oracle(src)}catch(e){o="THROW "+String(e).slice(0,100)}
let r=render(src); if(src.includes("else if")){r=r.replace(/\s/g,"");o=o.replace(/\s/g,"")} if(r!==o){ if(r.includes("more than")) continue; bad++;console.log(JSON.stringify(src),"\n  ours",JSON.stringify(r),"\n  hbs ",JSON.stringify(o))}}
console.log("done",bad,multi)
