/** One of Microsoft's clouds: the ending of its hosts, where tokens are issued, and the address of its Graph. */
export interface Cloud {
  readonly realm: "com" | "us"
  readonly graph: string
}

/** Everybody's, and that of the US government's customers who are not at GCC High. */
export const commercial: Cloud = { realm: "com", graph: "https://graph.microsoft.com" }

/**
 * The Bot Connector's hosts, of which a recipient may name one, and their clouds. No other is allowed, because our token
 * is sent along (learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages,
 * learn.microsoft.com/graph/deployments).
 */
const connectors: ReadonlyMap<string, Cloud> = new Map([
  ["smba.trafficmanager.net", commercial],
  ["smba.infra.gcc.teams.microsoft.com", commercial],
  ["smba.infra.gov.teams.microsoft.us", { realm: "us", graph: "https://graph.microsoft.us" }],
  ["smba.infra.dod.teams.microsoft.us", { realm: "us", graph: "https://dod-graph.microsoft.us" }]
])

/** The cloud of a `service_url`; `undefined` if it is no Bot Connector of Microsoft's. */
export const of = (serviceUrl: string): Cloud | undefined => {
  const { host, protocol } = URL.parse(serviceUrl) ?? {}
  return protocol === "https:" && host !== undefined ? connectors.get(host) : undefined
}

/** Where a tenant's tokens are issued. */
export const login = ({ realm }: Pick<Cloud, "realm">, tenant: string): string =>
  `https://login.microsoftonline.${realm}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`

/**
 * The tenant of bots that have none of their own, and what their tokens are for (botframework-connector,
 * `GovernmentConstants`).
 */
export const bots = {
  com: { tenant: "botframework.com", scope: "https://api.botframework.com/.default" },
  us: { tenant: "MicrosoftServices.onmicrosoft.us", scope: "https://api.botframework.us/.default" }
} as const
