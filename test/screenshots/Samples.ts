import type { Brand } from "#schemas/Brand.ts"
import type { Content } from "#schemas/Elemental.ts"
import type { Schema } from "effect"

/** A template, its data, and the brand that it is shown in. */
export interface Sample {
  readonly name: string
  readonly content: Content
  readonly data: Schema.JsonObject
  readonly brand: Brand | undefined
  readonly locale: string
  /** Of the screen, in px. */
  readonly width: number
  readonly height: number
}

/** A picture in the text of the page, since a screenshot fetches nothing. */
const drawn = (width: number, height: number, inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${inside}</svg>`

/** What stands at the addresses of pictures that the samples name. */
export const pictures: Readonly<Record<string, string>> = {
  "https://tea.example/logo.png": drawn(
    160,
    40,
    `<rect width="40" height="40" rx="8" fill="#0f766e"/><path d="M10 14h17v9a7 7 0 0 1-7 7h-3a7 7 0 0 1-7-7z" fill="#fff"/>
<path d="M27 16h2a4 4 0 0 1 0 8h-2" fill="none" stroke="#fff" stroke-width="2.5"/>
<text x="50" y="27" font-family="sans-serif" font-size="19" font-weight="700" fill="#134e4a">Tea &amp; Co.</text>`
  ),
  "https://tea.example/pot.png": drawn(
    536,
    150,
    `<rect width="536" height="150" rx="10" fill="#ccfbf1"/><ellipse cx="268" cy="88" rx="58" ry="44" fill="#0f766e"/>
<path d="M326 80c26 0 26 36-6 36" fill="none" stroke="#0f766e" stroke-width="9"/><path d="M212 82l-34-22" stroke="#0f766e" stroke-width="12"/>
<rect x="246" y="36" width="44" height="12" rx="6" fill="#134e4a"/>`
  )
}

const brand: Brand = {
  id: "tea",
  name: "Tea & Co.",
  settings: {
    colors: { primary: "#0f766e" },
    email: {
      header: { barColor: "#0f766e", logo: { href: "https://tea.example", image: "https://tea.example/logo.png" } },
      footer: {
        markdown:
          "**Tea & Co.**, 1 Harbour Road, Hamburg\n\nYou get this because you ordered from us, {{profile.name}}.",
        social: {
          instagram: { url: "https://instagram.example/tea" },
          linkedin: { url: "https://linkedin.example/tea" }
        }
      }
    }
  },
  snippets: {}
}

const shipped: Content = {
  elements: [
    { type: "meta", title: "Order {{order}} is on its way" },
    { type: "text", text_style: "h1", content: "On its way, {{profile.name}}" },
    { type: "text", content: "Your order **{{order}}** left us *this morning*. It is with you on {{day}}." },
    { type: "image", src: "https://tea.example/pot.png", alt_text: "A pot of tea", align: "full" },
    { type: "list", elements: [{ type: "list-item", loop: "items", content: "{{$.item.count}} × {{$.item.name}}" }] },
    { type: "action", content: "Track it", href: "https://tea.example/track/{{order}}" },
    { type: "divider" },
    {
      type: "columns",
      elements: [
        {
          type: "column",
          elements: [{ type: "text", text_style: "h3", content: "Delivered to" }, {
            type: "text",
            content: "{{address}}"
          }]
        },
        {
          type: "column",
          elements: [{ type: "text", text_style: "h3", content: "Paid" }, { type: "text", content: "{{total}}" }]
        }
      ]
    },
    { type: "quote", content: "The second pot is always better than the first." },
    { type: "text", text_style: "subtext", content: "Questions? Answer this mail." }
  ]
}

const data = {
  order: "A-17",
  day: "Thursday",
  address: "Ada Lovelace\n12 St James's Square\nLondon",
  total: "€ 34.50",
  items: [{ count: 2, name: "Darjeeling, first flush" }, { count: 1, name: "Assam <strong>" }]
}

const code: Content = {
  elements: [
    { type: "meta", title: "{{code}} is your code" },
    { type: "text", content: "Your code is" },
    { type: "text", text_style: "h1", align: "center", content: "{{code}}" },
    {
      type: "text",
      text_style: "subtext",
      content: "It is valid for ten minutes. If you did not ask for it, do nothing."
    }
  ]
}

/** One template in two languages. */
const invitation: Content = {
  elements: [
    { type: "meta", title: "You are invited", locales: { ar: { title: "أنت مدعو" } } },
    {
      type: "text",
      text_style: "h2",
      content: "A tasting on Friday, {{profile.name}}",
      locales: { ar: { content: "جلسة تذوق يوم الجمعة يا {{profile.name}}" } }
    },
    {
      type: "text",
      content: "Three teas from **Assam**, and a cake.",
      locales: { ar: { content: "ثلاثة أنواع من شاي **آسام** وكعكة." } }
    },
    { type: "list", list_type: "ordered", elements: [{ type: "list-item", loop: "teas", content: "{{$.item}}" }] },
    {
      type: "action",
      align: "full",
      content: "Join us",
      href: "https://tea.example/join",
      locales: { ar: { content: "انضم إلينا" } }
    }
  ]
}

/** The templates whose mails are shown. */
export const samples: ReadonlyArray<Sample> = [
  { name: "order-shipped", content: shipped, data, brand, locale: "en", width: 720, height: 890 },
  {
    name: "invitation",
    content: invitation,
    data: { teas: ["Mangalam", "Halmari", "Dikom"] },
    brand,
    locale: "ar",
    width: 390,
    height: 500
  },
  { name: "code", content: code, data: { code: "271828" }, brand: undefined, locale: "en", width: 720, height: 240 }
]
