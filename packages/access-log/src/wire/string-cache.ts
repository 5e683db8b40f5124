interface Slot {
  readonly bytes: Buffer;
  readonly text: string;
}

const SLOTS = 8192;
/** Longer texts rarely repeat, and comparing them costs as much as decoding. */
const LENGTH_MAX = 64;

/** Control characters, also NUL, which PostgreSQL does not store. */
const CONTROLS = /\p{Cc}/gu;

/**
 * Decodes UTF-8. Access logs repeat the same hosts, agents and names, so short texts are looked up by their bytes before they are decoded. Bytes that are not
 * UTF-8 become U+FFFD, and control characters become spaces.
 */
export class StringCache {
  readonly #slots: (Slot | undefined)[] = Array.from({ length: SLOTS });

  read(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return '';
    if (length > LENGTH_MAX) return decodeText(bytes, start, end);
    let hash = length;
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
    const index = (hash ^ (hash >>> 13)) & (SLOTS - 1);
    const slot = this.#slots[index];
    if (slot !== undefined && isEqual(slot.bytes, bytes, start, length)) return slot.text;
    const text = decodeText(bytes, start, end);
    this.#slots[index] = { bytes: Buffer.from(bytes.subarray(start, end)), text };
    return text;
  }
}

function isEqual(known: Buffer, bytes: Buffer, start: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at += 1) if (known[at] !== bytes[start + at]) return false;
  return true;
}

export function decodeText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  CONTROLS.lastIndex = 0;
  return CONTROLS.test(text) ? text.replace(CONTROLS, ' ') : text;
}
