/** One element of DER (X.690): its tag, and the range of its content in the parsed bytes. */
export interface DerElement {
  readonly tag: number;
  readonly bytes: Uint8Array;
}

/** Parses the sequence of elements in `bytes`; undefined if they are not DER. */
export function readDer(bytes: Uint8Array): readonly DerElement[] | undefined {
  const elements: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1];
    if (first === undefined) return undefined;
    // Lengths from 128 on start with their number of bytes; certificates need at most three.
    const lengthBytes = first < 0x80 ? 0 : first - 0x80;
    if (lengthBytes > 3) return undefined;
    const from = at + 2 + lengthBytes;
    const length = lengthBytes === 0 ? first : bytes.subarray(at + 2, from).reduce((sum, byte) => sum * 256 + byte, 0);
    if (from + length > bytes.length) return undefined;
    elements.push({ tag, bytes: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return elements;
}

const UTC_TIME = 0x17;

/** Converts a certificate time (RFC 5280, 4.1.2.5) to ms since 1970; NaN if it is invalid. */
export function readDerTime({ tag, bytes }: DerElement): number {
  const text = new TextDecoder().decode(bytes);
  const century = tag === UTC_TIME ? (Number(text.slice(0, 2)) < 50 ? '20' : '19') : '';
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + text) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
