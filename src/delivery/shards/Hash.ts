/**
 * FNV-1a over UTF-16 code units: 32 bits, unsigned. Spreads recipients over shards and jitter over messages; guards
 * nothing.
 */
export const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
