import type { Endpoint } from "#test/fuzz/Endpoints.ts"
import addFormats from "ajv-formats"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

const pointer = (text: string) => text.replaceAll("~", "~0").replaceAll("/", "~1")

/** The part of an OpenAPI document that says what may be answered. */
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<string, {
          readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
        }>
      >
    >
  >
}

/** Callers must not mind keys that the document does not name; replies of today have none. */
const closed = (document: Document): Document =>
  JSON.parse(
    JSON.stringify(document),
    (_, value) =>
      value?.properties !== undefined && value.additionalProperties === undefined
        ? { ...value, additionalProperties: false }
        : value
  )

/** Holds replies to the served document: what a reply breaks, or undefined. */
export const checker = (served: Document) => {
  const document = closed(served)
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  addFormats.default(ajv)
  ajv.addSchema({ ...document, $id: "document" })
  const compiled = new Map<string, ValidateFunction>()

  return (endpoint: Endpoint, status: number, text: string): string | undefined => {
    const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
    const method = endpoint.method.toLowerCase()
    const response = document.paths[path]?.[method]?.responses[String(status)]
    if (response === undefined) return `${status} is not documented`
    const [type] = Object.keys(response.content ?? {})
    if (type === undefined) return text === "" ? undefined : "a body where none is documented"
    if (!type.includes("json")) return undefined
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return "the body is no JSON"
    }
    const at = `document#/paths/${pointer(path)}/${method}/responses/${status}/content/${pointer(type)}/schema`
    const validate = compiled.get(at) ?? ajv.compile({ $ref: encodeURI(at) })
    compiled.set(at, validate)
    return validate(body) ? undefined : ajv.errorsText(validate.errors)
  }
}

/** What an error's body must be on every endpoint (api.md 1.3). */
export const isError = (text: string): boolean => {
  try {
    const body = JSON.parse(text)
    return typeof body.message === "string" && body.message !== "" && typeof body.type === "string" && body.type !== ""
  } catch {
    return false
  }
}
