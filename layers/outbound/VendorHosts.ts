/**
 * The vendors' own hosts, in domains where nobody else says what address a name has. A proxy may be asked for them by
 * name; names of anybody else are looked up, and their addresses judged, before it is asked (`Connection`).
 */
const own = [
  /(?:^|\.)(?:sendgrid|twilio|slack|slack-gov|discord|postmarkapp|resend|nexmo|vonage|pagerduty)\.com$/,
  /^exp\.host$/,
  /^(?:fcm|oauth2)\.googleapis\.com$/,
  /\.push\.apple\.com$/,
  /^(?:email|sns)\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/,
  /^login\.microsoftonline\.(?:com|us)$/,
  /^(?:dod-)?graph\.microsoft\.(?:com|us)$/,
  // Where workflows of Teams, and connectors before them, take posts.
  /(?:\.environment\.api\.powerplatform|\.logic\.azure|\.webhook\.office|^outlook\.office(?:365)?)\.com$/,
  /\.logic\.azure\.us$/,
  /^smba\.(?:trafficmanager\.net|infra\.(?:gcc\.teams\.microsoft\.com|(?:gov|dod)\.teams\.microsoft\.us))$/
]

/** Whether a host, by its name in small letters, is a vendor's own. */
export const isVendors = (host: string): boolean => own.some((names) => names.test(host))
