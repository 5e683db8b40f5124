import { type AuthScheme, ENTRY_LIMITS, type LogEntry } from '../entry.ts';
import { BytesCache } from '../wire/bytes-cache.ts';
import type { Place, RawEntry, RequestHeader, ResponseHeader, TextField } from '../wire/raw-entry.ts';
import { toFlagText } from '../wire/response-flags.ts';
import { decodeText, StringCache } from '../wire/string-cache.ts';
import { hasSessionCookie } from './cookies.ts';
import { decide, NO_FILTER } from './filter-decision.ts';
import { type CredentialFacts, Credentials } from './identity.ts';
import { NO_QUERY, type QueryFacts, readQuery } from './query.ts';
import { listSigns } from './signs.ts';

/** The facts that all entries of a stream share. */
export interface StreamFacts {
  /** The listener has the request filter. */
  readonly isFiltered: boolean;
}

const PROTOCOLS = ['', 'http/1.0', 'http/1.1', 'http/2', 'http/3'] as const;
/** config.core.v3.RequestMethod; all others are 0. */
const METHODS = ['', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'] as const;
const TLS_VERSIONS = ['unknown', 'TLSv1', 'TLSv1_1', 'TLSv1_2', 'TLSv1_3'] as const;
const SIGNATURE_HEADERS = [
  'stripe-signature',
  'svix-signature',
  'webhook-signature',
  'x-hub-signature',
  'x-hub-signature-256',
  'x-signature',
  'x-slack-signature',
  'x-twilio-signature',
  'x-shopify-hmac-sha256',
] as const;
const AUTHORIZATION_HEADERS = [
  'authorization',
  'proxy-authorization',
  'x-forwarded-authorization',
  'x-original-authorization',
] as const;

export const NO_GRPC_STATUS = 255;
const NAMES_MAX = 255;
const REQUEST_ID_MAX = 128;
/** Credentials above this are not judged; Envoy accepts headers of 60 KiB. */
const CREDENTIAL_MAX_BYTES = 16 * 1024;
const GRAPHQL_NAME = /^[_A-Za-z][_0-9A-Za-z]{0,127}$/;

/**
 * Makes entries of what the reader found. They contain no credential, no cookie, no value of a query and no body. It decodes what repeats once, so
 * use one for many messages.
 */
export class Reducer {
  readonly #strings = new StringCache();
  readonly #credentials = new Credentials();
  /** Judgements of Authorization by its bytes: clients send the same header with each request. */
  readonly #headers = new BytesCache<CredentialFacts | undefined>();

  reduce(raw: RawEntry, stream: StreamFacts): LogEntry {
    return raw.isHttp ? this.#reduceRequest(raw, stream) : this.#reduceConnection(raw);
  }

  #reduceConnection(raw: RawEntry): LogEntry {
    const identity = this.#identify(raw, NO_QUERY);
    return {
      ...this.#common(raw),
      ...NO_REQUEST,
      requestBytes: toCount(raw.requestBytes),
      responseBytes: toCount(raw.responseBytes),
      auth: identity.scheme,
      identityHash: identity.identityHash,
    };
  }

  #reduceRequest(raw: RawEntry, { isFiltered }: StreamFacts): LogEntry {
    const { path, query } = this.#splitPath(raw);
    const facts = query === '' ? NO_QUERY : readQuery(query);
    const identity = this.#identify(raw, facts);
    const details = this.#text(raw, 'details');
    const action = this.#text(raw, 'action');
    const decision =
      isFiltered || action !== ''
        ? decide({ isFiltered, details, action, engine: this.#text(raw, 'engine') })
        : NO_FILTER;
    const common = this.#common(raw);
    return {
      timeMs: common.timeMs,
      latencyUs: common.latencyUs,
      sourceAddress: common.sourceAddress,
      responseFlags: common.responseFlags,
      route: common.route,
      cluster: common.cluster,
      tlsVersion: common.tlsVersion,
      protocol: PROTOCOLS[raw.version] || 'http/1.1',
      method: METHODS[raw.method] || 'OTHER',
      authority: withoutUser(this.#text(raw, 'authority', ENTRY_LIMITS.authority)),
      path,
      status: raw.status <= 999 ? raw.status : 0,
      grpcStatus: this.#grpcStatus(raw),
      requestBytes: toCount(raw.requestBytes),
      responseBytes: toCount(raw.responseBytes),
      requestId: this.#unrepeated(raw.bytes, raw.texts.requestId, REQUEST_ID_MAX),
      userAgent: this.#text(raw, 'userAgent', ENTRY_LIMITS.userAgent),
      requestContentType: toMediaType(this.#header(raw, 'content-type')),
      contentType: toMediaType(this.#responseHeader(raw, 'content-type')),
      graphqlOperation: this.#graphqlOperation(raw),
      origin: cut(this.#header(raw, 'origin'), NAMES_MAX),
      auth: identity.scheme,
      identityHash: identity.identityHash,
      tokenLifetimeS: identity.lifetimeS,
      queryNames: facts.names,
      queryPii: facts.pii,
      signs: this.#signs(raw, facts.hasCredential),
      action: decision.action,
      engine: decision.engine,
    };
  }

  #common(raw: RawEntry) {
    const latency = raw.lastSentUs >= 0 ? raw.lastSentUs : raw.durationUs;
    const source = raw.texts.sourceAddress.end > 0 ? 'sourceAddress' : 'directAddress';
    return {
      timeMs: raw.startMs > 0 && raw.startMs < TIME_MAX_MS ? Math.floor(raw.startMs) : 0,
      latencyUs: Math.round(toCount(latency)),
      sourceAddress: toAddress(this.#text(raw, source, 45)),
      responseFlags: toFlagText(raw.flags),
      route: this.#text(raw, 'route', NAMES_MAX),
      cluster: this.#text(raw, 'cluster', NAMES_MAX),
      tlsVersion: raw.tlsVersion === -1 ? '' : (TLS_VERSIONS[raw.tlsVersion] ?? 'unknown'),
    };
  }

  /** Filters may have rewritten the path; the original one is what the client sent. */
  #splitPath(raw: RawEntry): { path: string; query: string } {
    const place = raw.texts.originalPath.end > 0 ? raw.texts.originalPath : raw.texts.path;
    const question = raw.bytes.subarray(place.start, place.end).indexOf(63);
    const pathEnd = question === -1 ? place.end : place.start + question;
    const whole = this.#strings.read(raw.bytes, place.start, Math.min(pathEnd, place.start + 4 * ENTRY_LIMITS.path));
    const fragment = whole.indexOf('#');
    const path = cut(fragment === -1 ? whole : whole.slice(0, fragment), ENTRY_LIMITS.path);
    return { path, query: question === -1 ? '' : decodeText(raw.bytes, pathEnd + 1, place.end) };
  }

  /** The scheme of the strongest evidence; the identity by JWT, client certificate, API key and user, in this order. */
  #identify(raw: RawEntry, query: QueryFacts): { scheme: AuthScheme; identityHash: string; lifetimeS: number } {
    const header = this.#authorization(raw);
    const subject = this.#credential(raw, raw.texts.peerSubject);
    const certificate = subject === '' ? undefined : this.#credentials.ofSubject(subject);
    const key = this.#apiKey(raw, query);
    const presented = header ?? key ?? certificate;
    if (presented === undefined) return { scheme: this.#weakScheme(raw, query), identityHash: '', lifetimeS: 0 };
    const named = [
      header?.scheme === 'jwt' ? header : undefined,
      key?.scheme === 'jwt' ? key : undefined,
      certificate,
      key,
      header,
    ].find((facts) => facts !== undefined && facts.identityHash !== '');
    return {
      scheme: presented.scheme,
      identityHash: named?.identityHash ?? '',
      lifetimeS: presented.lifetimeS,
    };
  }

  #authorization(raw: RawEntry): CredentialFacts | undefined {
    for (const name of AUTHORIZATION_HEADERS) {
      const place = raw.requestHeaders[name];
      if (place.end > 0) return this.#headers.find(raw.bytes, place, () => this.#judgeHeader(raw, place));
    }
    return undefined;
  }

  #judgeHeader(raw: RawEntry, place: Place): CredentialFacts | undefined {
    const value = this.#credential(raw, place);
    return value === '' ? undefined : this.#credentials.ofHeader(value);
  }

  #apiKey(raw: RawEntry, { key }: QueryFacts): CredentialFacts | undefined {
    const { requestHeaders: headers } = raw;
    const value = this.#credential(raw, headers['x-api-key']) || this.#credential(raw, headers['x-auth-token']);
    if (value !== '') return this.#credentials.ofApiKey(value);
    if (key === undefined) return undefined;
    return key.kind === 'apikey' ? this.#credentials.ofApiKey(key.value) : this.#credentials.ofBearer(key.value);
  }

  /** Evidence that names nobody. */
  #weakScheme(raw: RawEntry, { isSigned }: QueryFacts): AuthScheme {
    if (isSigned || SIGNATURE_HEADERS.some((name) => raw.requestHeaders[name].end > 0)) return 'signature';
    const { cookie } = raw.requestHeaders;
    if (cookie.end > 0 && hasSessionCookie(raw.bytes.toString('latin1', cookie.start, cookie.end))) return 'cookie';
    return 'none';
  }

  #signs(raw: RawEntry, hasQueryCredential: boolean) {
    const { responseHeaders: headers } = raw;
    return listSigns({
      csp: headers['content-security-policy'].end > 0,
      frameOptions: headers['x-frame-options'].end > 0,
      noSniff: this.#responseHeader(raw, 'x-content-type-options').toLowerCase() === 'nosniff',
      hsts: headers['strict-transport-security'].end > 0,
      server: this.#responseHeader(raw, 'server'),
      poweredBy: headers['x-powered-by'].end > 0,
      allowOrigin: this.#responseHeader(raw, 'access-control-allow-origin'),
      allowCredentials: this.#responseHeader(raw, 'access-control-allow-credentials'),
      origin: this.#header(raw, 'origin'),
      forwardedProto: this.#header(raw, 'x-forwarded-proto'),
      setCookie: this.#unrepeated(raw.bytes, headers['set-cookie'], CREDENTIAL_MAX_BYTES),
      hasQueryCredential,
    });
  }

  #grpcStatus(raw: RawEntry): number {
    const place = raw.trailerStatus.end > 0 ? raw.trailerStatus : raw.responseHeaders['grpc-status'];
    if (place.end === 0) return NO_GRPC_STATUS;
    const text = this.#strings.read(raw.bytes, place.start, place.end);
    return /^\d{1,3}$/.test(text) ? Math.min(Number(text), NO_GRPC_STATUS) : NO_GRPC_STATUS;
  }

  #graphqlOperation(raw: RawEntry): string {
    const name = this.#header(raw, 'x-apollo-operation-name') || this.#header(raw, 'x-graphql-operation-name');
    return GRAPHQL_NAME.test(name) ? name : '';
  }

  #text(raw: RawEntry, field: TextField, charsMax = NAMES_MAX): string {
    const { start, end } = raw.texts[field];
    return cut(this.#strings.read(raw.bytes, start, Math.min(end, start + 4 * charsMax)), charsMax);
  }

  #header(raw: RawEntry, name: RequestHeader): string {
    const { start, end } = raw.requestHeaders[name];
    return this.#strings.read(raw.bytes, start, Math.min(end, start + 4 * NAMES_MAX));
  }

  #responseHeader(raw: RawEntry, name: ResponseHeader): string {
    const { start, end } = raw.responseHeaders[name];
    return this.#strings.read(raw.bytes, start, Math.min(end, start + 4 * NAMES_MAX));
  }

  #credential(raw: RawEntry, { start, end }: Place): string {
    return end - start > CREDENTIAL_MAX_BYTES ? 'oversized' : raw.bytes.toString('utf8', start, end);
  }

  /** Without the cache, which values that differ in each request would only fill. */
  #unrepeated(bytes: Buffer, { start, end }: Place, charsMax: number): string {
    return start === end ? '' : cut(decodeText(bytes, start, Math.min(end, start + 4 * charsMax)), charsMax);
  }
}

const NO_REQUEST = {
  protocol: 'tcp',
  method: '',
  authority: '',
  path: '',
  status: 0,
  grpcStatus: NO_GRPC_STATUS,
  requestId: '',
  userAgent: '',
  requestContentType: '',
  contentType: '',
  graphqlOperation: '',
  origin: '',
  tokenLifetimeS: 0,
  queryNames: [],
  queryPii: [],
  signs: [],
  action: '',
  engine: '',
} as const;

/** The year 9999: PostgreSQL and JavaScript represent it. */
const TIME_MAX_MS = 253_402_300_800_000;

function toCount(value: number): number {
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
}

/** An IPv6 address loses its scope. Other texts (names of internal listeners) are no address. */
function toAddress(text: string): string {
  const address = text.includes('%') ? text.slice(0, text.indexOf('%')) : text;
  return /^[0-9A-Fa-f.:]*$/.test(address) ? address : '';
}

/** `user:password@host` names a host, and may have a password. */
function withoutUser(authority: string): string {
  return authority.includes('@') ? authority.slice(authority.lastIndexOf('@') + 1) : authority;
}

/** Does not cut a character in half. */
function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax).toWellFormed();
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;
const mediaTypes = new Map<string, string>();
const MEDIA_TYPES_MAX = 1024;

/** `text/html; charset=utf-8` is `text/html`. */
function toMediaType(header: string): string {
  if (header === '') return '';
  const known = mediaTypes.get(header);
  if (known !== undefined) return known;
  const type = (header.split(';', 1)[0] ?? '').trim().toLowerCase();
  const judged = MEDIA_TYPE.test(type) ? type : '';
  if (mediaTypes.size >= MEDIA_TYPES_MAX) mediaTypes.clear();
  mediaTypes.set(header, judged);
  return judged;
}
