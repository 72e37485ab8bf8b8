/**
 * The enhanced status codes (RFC 3463, RFC 7505) of an address that is dead for good: there is no such mailbox or
 * domain, it is no address, it has moved, its domain takes no mail, or the mailbox is disabled.
 */
export const dead = /^5\.(?:1\.(?:1|2|3|6|10)|2\.1)$/

/** Those of a refusal that is permanent for its mail alone: a full mailbox, its size, the system, protocol, content or policy. */
export const ofMail = /^5\.(?:2\.[234]|[3567]\.\d+)$/
