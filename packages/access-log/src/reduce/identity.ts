import { hash } from 'node:crypto';
import type { AuthScheme } from '../entry.ts';
import { readJwt } from './bearer.ts';

/** The facts that one credential shows. */
export interface CredentialFacts {
  readonly scheme: AuthScheme;
  /** Hash of the identity that it names; empty: none. */
  readonly identityHash: string;
  readonly lifetimeS: number;
}

const NO_IDENTITY = { identityHash: '', lifetimeS: 0 } as const;
const KNOWN_MAX = 4096;
/** Longer credentials are judged each time, so that the cache has a bound in bytes as well. */
const KNOWN_LENGTH_MAX = 4096;
const HASH_DIGITS = 32;

/** Shorter tokens could be found by trying all of them, so they get no hash. 16 characters of base64 are 96 bits. */
const OPAQUE_MIN_CHARS = 16;

/** The first 128 bits of SHA-256. The kind keeps a user apart from a key with the same text. */
export function hashIdentity(kind: 'jwt' | 'mtls' | 'apikey' | 'basic' | 'bearer', identity: string): string {
  return hash('sha256', `${kind}:${identity}`, 'hex').slice(0, HASH_DIGITS);
}

/** Judges credentials. The most recently used judgements are kept, because clients send the same credential with each request. */
export class Credentials {
  readonly #known = new Map<string, CredentialFacts>();

  /** The value of Authorization or a header like it. */
  ofHeader(value: string): CredentialFacts {
    return this.#find(`h ${value}`, () => judgeHeader(value));
  }

  ofApiKey(value: string): CredentialFacts {
    return this.#find(`k ${value}`, () => apiKey(value));
  }

  ofBearer(value: string): CredentialFacts {
    return this.#find(`b ${value}`, () => bearer(value));
  }

  /** The subject of a client certificate. */
  ofSubject(value: string): CredentialFacts {
    return this.#find(`m ${value}`, () => ({
      scheme: 'mtls',
      identityHash: hashIdentity('mtls', value),
      lifetimeS: 0,
    }));
  }

  #find(key: string, judge: () => CredentialFacts): CredentialFacts {
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const judged = judge();
    if (key.length > KNOWN_LENGTH_MAX) return judged;
    this.#known.set(key, judged);
    const oldest = this.#known.size > KNOWN_MAX ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    return judged;
  }
}

const SIGNATURE_SCHEMES = /^(?:aws4-|signature$|hawk$|hmac|httpsig$|sharedkey)/;

function judgeHeader(value: string): CredentialFacts {
  const text = value.trim();
  const space = text.search(/[ \t]/);
  const scheme = (space === -1 ? text : text.slice(0, space)).toLowerCase();
  const rest = space === -1 ? '' : text.slice(space + 1).trim();
  if (scheme === 'bearer') return bearer(rest);
  if (scheme === 'basic') return basic(rest);
  if (scheme === 'apikey' || scheme === 'api-key' || scheme === 'x-api-key') return apiKey(rest);
  if (SIGNATURE_SCHEMES.test(scheme)) return { scheme: 'signature', ...NO_IDENTITY };
  // Some clients send a token without a scheme.
  if (space === -1 && readJwt(text)) return bearer(text);
  return { scheme: 'other', ...NO_IDENTITY };
}

function bearer(token: string): CredentialFacts {
  const jwt = readJwt(token);
  if (jwt === undefined) return opaque(token);
  const { subject, lifetimeS } = jwt;
  return { scheme: 'jwt', identityHash: subject === '' ? '' : hashIdentity('jwt', subject), lifetimeS };
}

/** A token without a readable subject is an identity of its own. One that only looks like a JWT is broken or encrypted, and another one with each renewal. */
function opaque(token: string): CredentialFacts {
  const isNamed = token.length >= OPAQUE_MIN_CHARS && !token.startsWith('eyJ');
  return { scheme: 'bearer', identityHash: isNamed ? hashIdentity('bearer', token) : '', lifetimeS: 0 };
}

function basic(encoded: string): CredentialFacts {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const user = colon === -1 ? text : text.slice(0, colon);
  return { scheme: 'basic', identityHash: user === '' ? '' : hashIdentity('basic', user), lifetimeS: 0 };
}

function apiKey(value: string): CredentialFacts {
  return { scheme: 'apikey', identityHash: value === '' ? '' : hashIdentity('apikey', value), lifetimeS: 0 };
}
