/** Slack's escapes (docs.slack.dev/messaging/formatting-message-text): after them no link, mention or command is left. */
export const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
