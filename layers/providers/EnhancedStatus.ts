/**
 * The enhanced status codes (RFC 3463, RFC 7505) of an address that is dead for good: there is no such mailbox or
 * domain, it is no address, it has moved, its domain takes no mail, or the mailbox is disabled.
 */
export const dead = /^5\.(?:1\.(?:1|2|3|6|10)|2\.1)$/

/** Words for 5.2.1 (Gmail's above all) where the mailbox is not disabled but sent too much for now, wherever a line of them ends. */
export const busy = /\bcontact is receiving\b|\bat a rate\b|ReceivingRate|\bdaily\b/i

/**
 * Those of a refusal that is permanent for its mail alone: the sender's address, a full mailbox, the mail's size, the
 * system, protocol, content or policy.
 */
const ofMail = /^5\.(?:1\.[78]|2\.[234]|[3567]\.\d+)$/

/** Whether a reply with this status and these words says that the address is dead for good. */
export const isDead = (status: string, words: string): boolean => dead.test(status) && !busy.test(words)

/** Whether a refusal that is called permanent says nothing of the address. */
export const isOfMail = (status: string, words: string): boolean => ofMail.test(status) || busy.test(words)
