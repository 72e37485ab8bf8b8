/** How often the rows of owned shards are read although nothing is due and no notification came, in ms (reliability.md A5). */
export const sweepInterval = 60_000
