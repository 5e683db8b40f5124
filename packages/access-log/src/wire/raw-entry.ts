/** The place of a text in the message; empty if `end` is 0. */
export interface Place {
  start: number;
  end: number;
}

export const REQUEST_HEADERS = [
  'authorization',
  'proxy-authorization',
  'x-forwarded-authorization',
  'x-original-authorization',
  'x-api-key',
  'x-auth-token',
  'cookie',
  'content-type',
  'origin',
  'x-forwarded-proto',
  'x-apollo-operation-name',
  'x-graphql-operation-name',
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

export const RESPONSE_HEADERS = [
  'content-type',
  'grpc-status',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
  'content-security-policy',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'server',
  'x-powered-by',
  'set-cookie',
] as const;

export const RESPONSE_TRAILERS = ['grpc-status'] as const;

/** Header of Envoy's access log streams: `on` if the request filter is asked about the requests. */
export const FILTER_HEADER = 'flotilla-filter';

export type RequestHeader = (typeof REQUEST_HEADERS)[number];
export type ResponseHeader = (typeof RESPONSE_HEADERS)[number];

/** Texts of an entry that are read where they are. */
const TEXTS = [
  'authority',
  'path',
  'originalPath',
  'userAgent',
  'requestId',
  'sourceAddress',
  'directAddress',
  'route',
  'cluster',
  'peerSubject',
  'details',
  'action',
  'engine',
] as const;
export type TextField = (typeof TEXTS)[number];

/**
 * The findings of the reader in one entry. The object is reused for the next one. Numbers that the entry does not contain are 0; times are -1.
 */
export class RawEntry {
  bytes: Buffer = Buffer.alloc(0);
  isHttp = false;
  /** Written before the end of its request or connection, by an option of the listener. */
  isIntermediate = false;
  startMs = -1;
  lastSentUs = -1;
  durationUs = -1;
  /** HTTPAccessLogEntry.HTTPVersion. */
  version = 0;
  /** config.core.v3.RequestMethod. */
  method = 0;
  status = 0;
  requestBytes = 0;
  responseBytes = 0;
  /** TLSProperties.TLSVersion; -1: no TLS. */
  tlsVersion = -1;
  /** Bits by position in RESPONSE_FLAGS. */
  flags = 0;
  readonly texts: Readonly<Record<TextField, Place>> = createPlaces(TEXTS);
  readonly requestHeaders: Readonly<Record<RequestHeader, Place>> = createPlaces(REQUEST_HEADERS);
  readonly responseHeaders: Readonly<Record<ResponseHeader, Place>> = createPlaces(RESPONSE_HEADERS);
  readonly trailerStatus: Place = { start: 0, end: 0 };
  readonly #places: readonly Place[];

  constructor() {
    this.#places = [this.texts, this.requestHeaders, this.responseHeaders]
      .flatMap((record) => Object.values<Place>(record))
      .concat(this.trailerStatus);
  }

  reset(bytes: Buffer, isHttp: boolean): void {
    this.bytes = bytes;
    this.isHttp = isHttp;
    this.isIntermediate = false;
    this.startMs = -1;
    this.lastSentUs = -1;
    this.durationUs = -1;
    this.version = 0;
    this.method = 0;
    this.status = 0;
    this.requestBytes = 0;
    this.responseBytes = 0;
    this.tlsVersion = -1;
    this.flags = 0;
    for (const place of this.#places) {
      place.start = 0;
      place.end = 0;
    }
  }
}

function createPlaces<Name extends string>(names: readonly Name[]): Record<Name, Place> {
  return Object.fromEntries(names.map((name) => [name, { start: 0, end: 0 }])) as Record<Name, Place>;
}
