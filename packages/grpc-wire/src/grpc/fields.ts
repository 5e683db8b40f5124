/** Header fields that this server interprets. The numbers are bits of a set. */
export const FIELD = {
  other: 0,
  method: 1,
  scheme: 2,
  path: 3,
  authority: 4,
  status: 5,
  te: 6,
  contentType: 7,
  contentLength: 8,
  grpcEncoding: 9,
  connectionSpecific: 10,
} as const;

const NAMES: readonly (readonly [string, number])[] = [
  [':method', FIELD.method],
  [':scheme', FIELD.scheme],
  [':path', FIELD.path],
  [':authority', FIELD.authority],
  [':status', FIELD.status],
  ['te', FIELD.te],
  ['content-type', FIELD.contentType],
  ['content-length', FIELD.contentLength],
  ['grpc-encoding', FIELD.grpcEncoding],
  // RFC 9113 section 8.2.2.
  ['connection', FIELD.connectionSpecific],
  ['proxy-connection', FIELD.connectionSpecific],
  ['keep-alive', FIELD.connectionSpecific],
  ['transfer-encoding', FIELD.connectionSpecific],
  ['upgrade', FIELD.connectionSpecific],
];

interface KnownName {
  readonly bytes: Buffer;
  readonly field: number;
}

const LONGEST_NAME = Math.max(...NAMES.map(([name]) => name.length));
const BY_LENGTH: readonly (readonly KnownName[])[] = Array.from({ length: LONGEST_NAME + 1 }, (_, length) =>
  NAMES.filter(([name]) => name.length === length).map(([name, field]) => ({ bytes: Buffer.from(name), field })),
);

export function fieldOf(name: Uint8Array, start: number, end: number): number {
  const candidates = BY_LENGTH[end - start];
  if (candidates === undefined) return FIELD.other;
  for (const candidate of candidates) {
    let n = end - start - 1;
    while (n >= 0 && candidate.bytes[n] === name[start + n]) n--;
    if (n < 0) return candidate.field;
  }
  return FIELD.other;
}

/** 1 marks the bytes allowed in a name: visible ASCII without uppercase and the colon (RFC 9113 section 8.2.1). */
const NAME_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > 0x20 && byte < 0x7f && byte !== 0x3a && !(byte >= 0x41 && byte <= 0x5a) ? 1 : 0,
);

export function isFieldName(name: Uint8Array, start: number, end: number): boolean {
  const first = name[start] === 0x3a ? start + 1 : start;
  for (let at = first; at < end; at++) if (NAME_BYTES[name[at] as number] === 0) return false;
  return first < end;
}

/** Rejects NUL, CR and LF, and leading or trailing blanks (RFC 9113 section 8.2.1). */
export function isFieldValue(value: Uint8Array, start: number, end: number): boolean {
  if (start === end) return true;
  if (isBlank(value[start] as number) || isBlank(value[end - 1] as number)) return false;
  for (let at = start; at < end; at++) {
    const byte = value[at] as number;
    if (byte <= 0x0d && (byte === 0 || byte === 0x0a || byte === 0x0d)) return false;
  }
  return true;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}
