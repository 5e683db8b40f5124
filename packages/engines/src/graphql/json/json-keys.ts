export const KEY_OTHER = 0;
export const KEY_QUERY = 1;
export const KEY_ZERO = 2;
export const KEY_LIST = 3;

/** Returns the meaning of a key, one of the four above. */
export function judgeKey(bytes: Buffer, start: number, end: number): number {
  if (end - start === 1) return bytes[start] === 48 ? KEY_ZERO : KEY_OTHER;
  if (isQueryKey(bytes, start, end)) return KEY_QUERY;
  return end - start === RAILS_LIST.length && RAILS_LIST.equals(bytes.subarray(start, end)) ? KEY_LIST : KEY_OTHER;
}

const QUERY = Buffer.from('query');
/** The key under which Rails puts a body that is a list; an object with this key looks the same to it. */
const RAILS_LIST = Buffer.from('_json');

/**
 * Whether a server reads the key as `query`: in any case (Go and PHP ignore it; no letter outside ASCII folds into one
 * of these), and without `_` and `-`, as the newer Go package matches.
 */
function isQueryKey(bytes: Uint8Array, start: number, end: number): boolean {
  let matched = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === 95 || byte === 45) continue;
    if (matched === QUERY.length || (byte | 32) !== QUERY[matched]) return false;
    matched++;
  }
  return matched === QUERY.length;
}
