/**
 * Slack's escapes (docs.slack.dev/messaging/formatting-message-text). Escaped text holds no link, mention or command.
 */
export const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
