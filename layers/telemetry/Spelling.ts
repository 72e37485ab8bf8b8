import { ConfigProvider, Effect } from "effect"

/** Variables whose values are words of the standard, in either case. */
const words = /^OTEL_(?:SDK_DISABLED|TRACES_SAMPLER|EXPORTER_OTLP_.*(?:PROTOCOL|COMPRESSION|TEMPORALITY_PREFERENCE))$/

const headers = /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/

const trimmed = (pairs: string): string => pairs.split(",").map((pair) => pair.trim().replace(/\s*=\s*/, "=")).join(",")

const spelt = (name: string, value: string): string =>
  words.test(name) ? value.toLowerCase() : headers.test(name) ? trimmed(value) : value

/**
 * These settings in the one spelling that the exporters know. The standard lets its words be in either case, and blanks
 * stand around the `,` and `=` of headers.
 */
export const standard = (settings: ConfigProvider.ConfigProvider): ConfigProvider.ConfigProvider =>
  ConfigProvider.make((path) =>
    Effect.map(
      settings.load(path),
      (node) => node?.value === undefined ? node : { ...node, value: spelt(path.join("_"), node.value) }
    )
  )
