import { AUTH_SCHEMES, type AuthScheme, ENTRY_LIMITS, SIGNS, type Sign } from '../entry.ts';

/** First byte of a batch. Readers refuse versions that they do not know. */
export const PLAIN = 1;
/** The same, compressed by deflate (RFC 1951), behind four bytes with the length of the plain form without its first byte. */
export const DEFLATED = 2;

export const PROTOCOLS: readonly string[] = ['tcp', 'http/1.0', 'http/1.1', 'http/2', 'http/3'];

/** Texts of an entry that are stored in the dictionary, in the order of the wire. Lists are joined by spaces, which their words do not contain. */
export const TEXT_FIELDS = [
  'method',
  'authority',
  'path',
  'sourceAddress',
  'userAgent',
  'responseFlags',
  'route',
  'cluster',
  'tlsVersion',
  'requestContentType',
  'contentType',
  'graphqlOperation',
  'origin',
  'identityHash',
  'action',
  'engine',
  'queryNames',
  'queryPii',
] as const;

const TEXT_MAX = 255;

/** A reader accepts these texts in each field of TEXT_FIELDS: the sender is a host that somebody may have taken over. */
export const TEXT_CHECKS: readonly ((text: string) => boolean)[] = [
  (text) => /^[A-Z]{0,16}$/.test(text),
  upTo(ENTRY_LIMITS.authority),
  (text) => text.length <= ENTRY_LIMITS.path && !text.includes('?'),
  (text) => /^[0-9A-Fa-f.:]{0,45}$/.test(text),
  upTo(ENTRY_LIMITS.userAgent),
  (text) => /^[A-Z,]{0,160}$/.test(text),
  upTo(TEXT_MAX),
  upTo(TEXT_MAX),
  (text) => /^\w{0,16}$/.test(text),
  upTo(TEXT_MAX),
  upTo(TEXT_MAX),
  upTo(128),
  upTo(TEXT_MAX),
  (text) => /^(?:[0-9a-f]{32})?$/.test(text),
  (text) => /^(?:allow|block|detect)?$/.test(text),
  (text) => /^(?:[a-z][a-z0-9_]{0,31})?$/.test(text),
  (text) => isList(text, /^[a-z0-9_.\-[\]]{1,64}$/, ENTRY_LIMITS.queryNames),
  (text) => isList(text, /^[a-z_]{1,32}$/, 16),
];

function upTo(length: number): (text: string) => boolean {
  return (text) => text.length <= length;
}

function isList(text: string, word: RegExp, count: number): boolean {
  if (text === '') return true;
  const words = text.split(' ');
  return words.length <= count && words.every((one) => word.test(one));
}

const AUTH_BITS = 4;
const AUTH_INDEX: ReadonlyMap<AuthScheme, number> = new Map(AUTH_SCHEMES.map((scheme, index) => [scheme, index]));
const PROTOCOL_INDEX: ReadonlyMap<string, number> = new Map(PROTOCOLS.map((name, index) => [name, index]));
const SIGN_BIT: ReadonlyMap<Sign, number> = new Map(SIGNS.map((sign, index) => [sign, 1 << index]));

/** Protocol and scheme of the authentication in one number. */
export function toKinds(protocol: string, auth: AuthScheme): number {
  return ((PROTOCOL_INDEX.get(protocol) ?? 0) << AUTH_BITS) | (AUTH_INDEX.get(auth) ?? 0);
}

/** Undefined: not a pair of this version. */
export function fromKinds(kinds: number): { readonly protocol: string; readonly auth: AuthScheme } | undefined {
  return KINDS[kinds];
}

const KINDS = Array.from({ length: PROTOCOLS.length << AUTH_BITS }, (_, kinds) => {
  const protocol = PROTOCOLS[kinds >> AUTH_BITS];
  const auth = AUTH_SCHEMES[kinds % (1 << AUTH_BITS)];
  return protocol !== undefined && auth !== undefined ? { protocol, auth } : undefined;
});

export function toSignBits(signs: readonly Sign[]): number {
  let bits = 0;
  for (const sign of signs) bits |= SIGN_BIT.get(sign) ?? 0;
  return bits;
}

const NO_SIGNS: readonly Sign[] = [];
const signLists = new Map<number, readonly Sign[]>([[0, NO_SIGNS]]);

/** Undefined: a sign that this version does not know. */
export function fromSignBits(bits: number): readonly Sign[] | undefined {
  const known = signLists.get(bits);
  if (known !== undefined || bits >= 1 << SIGNS.length) return known;
  const list = SIGNS.filter((_, index) => ((bits >>> index) & 1) === 1);
  signLists.set(bits, list);
  return list;
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** First number of a request id: absent, 16 bytes of a UUID, or the length of a text plus 2. */
export const ID_NONE = 0;
export const ID_UUID = 1;
export const ID_TEXT = 2;
export const ID_MAX_CHARS = 128;
