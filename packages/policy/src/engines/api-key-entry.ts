import * as z from 'zod';
import type { Complaint } from '../problem.ts';
import { parseTimestampMs } from '../timestamp.ts';
import { digestApiKey } from './api-key-digest.ts';
import { HEADER_NAME, isRecord } from './engine-spec.ts';
import { burstField, capacityOf, rateField } from './token-bucket.ts';

/** What one key may ask for, whoever sends it. */
export interface KeyLimit {
  /** Sustained requests per second; > 0. */
  readonly rate: number;
  /** Requests at once, at least 1; may be fractional where it is derived from the rate. */
  readonly burst: number;
}

export interface ApiKeyEntry {
  /** SHA-256 of the key, 64 lowercase hex digits. */
  readonly sha256: string;
  /** Empty when nobody is named. */
  readonly subject: string;
  readonly scopes: readonly string[];
  /** The first moment at which the key counts, in ms since the epoch; null for always. */
  readonly notBeforeMs: number | null;
  /** The first moment at which it no longer does. */
  readonly expiresAtMs: number | null;
  /** As they are sent: methods are told apart by their letter case (RFC 9110 section 9.1). Empty for any. */
  readonly methods: readonly string[];
  /** Null for a key that has no limit of its own. */
  readonly limit: KeyLimit | null;
}

export const apiKeyEntryField = z.strictObject({
  // Who has the digest of a key that people made up finds the key.
  sha256: z.string().meta({ secret: true }).optional(),
  key: z.string().meta({ secret: true }).optional(),
  subject: z.string().optional(),
  scopes: z.array(z.string().min(1)).optional(),
  not_before: z.string().optional(),
  expires_at: z.string().optional(),
  methods: z.array(z.string().max(64)).min(1).max(32).optional(),
  requests_per_second: rateField.optional(),
  burst: burstField.optional(),
});

type WrittenEntry = z.output<typeof apiKeyEntryField>;

const SHA256_HEX = /^[0-9a-fA-F]{64}$/;

/** RFC 9110 section 9.1: a method is a token, as the name of a header is. */
const METHOD = HEADER_NAME;

/**
 * All buckets of a block are one limiter, which counts in time: what a bucket of 31 days holds can still be told from what it
 * holds a microsecond later.
 */
const REFILL_MAX_S = 31 * 24 * 3600;

/** Those whose bodies frameworks look into for another method: most of them those of POST alone, CakePHP and Hono all of these. */
const METHODS_WITH_FIELDS: ReadonlySet<unknown> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** True for a written entry whose methods a field of a body may override. */
export function isOverridable(entry: unknown): boolean {
  return isRecord(entry) && Array.isArray(entry.methods) && entry.methods.some((each) => METHODS_WITH_FIELDS.has(each));
}

/** Rules within one entry, whatever shape its values have. Paths are those within it. */
export function checkApiKeyEntry(entry: Readonly<Record<string, unknown>>): Complaint[] {
  return [...checkCredential(entry), ...checkValidity(entry), ...checkMethods(entry.methods), ...checkLimit(entry)];
}

function checkCredential({ sha256, key }: Readonly<Record<string, unknown>>): Complaint[] {
  const missing = (value: unknown) => value === undefined || value === null || value === '';
  if (missing(sha256) && missing(key)) {
    return [{ path: [], rule: 'api_key.no_credential', message: 'needs sha256 or key' }];
  }
  if (!missing(sha256) && !missing(key)) {
    return [
      {
        path: ['key'],
        rule: 'api_key.two_credentials',
        message: 'stands beside sha256: give one of the two',
        at: 'key',
      },
    ];
  }
  if (typeof sha256 === 'string' && sha256 !== '' && !SHA256_HEX.test(sha256)) {
    return [{ path: ['sha256'], rule: 'api_key.sha256', message: 'must be 64 hexadecimal digits' }];
  }
  if (typeof key === 'string' && key !== key.trim()) {
    return [
      { path: ['key'], rule: 'api_key.key', message: 'begins or ends with white space, which no request can present' },
    ];
  }
  return [];
}

function checkValidity(entry: Readonly<Record<string, unknown>>): Complaint[] {
  const complaints: Complaint[] = [];
  const times = ['not_before', 'expires_at'].map((field) => {
    const text = entry[field];
    if (typeof text !== 'string') return Number.NaN;
    const ms = parseTimestampMs(text);
    if (Number.isNaN(ms)) {
      const message = 'must be an RFC 3339 timestamp, such as 2027-01-31T00:00:00Z';
      complaints.push({ path: [field], rule: 'api_key.timestamp', message });
    }
    return ms;
  });
  const [from = Number.NaN, until = Number.NaN] = times;
  if (from >= until) {
    complaints.push({ path: ['expires_at'], rule: 'api_key.validity', message: 'must be later than not_before' });
  }
  return complaints;
}

function checkMethods(methods: unknown): Complaint[] {
  if (!Array.isArray(methods)) return [];
  return methods.flatMap((method: unknown, index): Complaint[] => {
    if (typeof method !== 'string') return [];
    const complain = (message: string) => [{ path: ['methods', index], rule: 'api_key.method', message }];
    if (!METHOD.test(method)) return complain('is not a method, such as GET');
    return methods.indexOf(method) === index ? [] : complain('is listed already');
  });
}

function checkLimit({ requests_per_second: rate, burst }: Readonly<Record<string, unknown>>): Complaint[] {
  if (rate === undefined || rate === null) {
    if (typeof burst !== 'number') return [];
    const message = 'stands without requests_per_second: alone it limits nothing';
    return [{ path: ['burst'], rule: 'api_key.burst', message, at: 'key' }];
  }
  // The schema says of these that they are no numbers.
  if (typeof rate !== 'number' || !Number.isFinite(rate)) return [];
  if (rate <= 0) {
    const message = 'must be greater than 0';
    return [{ path: ['requests_per_second'], rule: 'api_key.rate', message }];
  }
  if (capacityOf(rate, typeof burst === 'number' ? burst : undefined) / rate <= REFILL_MAX_S) return [];
  return [
    {
      path: [burst ? 'burst' : 'requests_per_second'],
      rule: 'api_key.refill',
      message: 'makes a limit that takes more than 31 days to be whole again',
    },
  ];
}

/** The SHA-256 of an entry's key, 64 lowercase hex digits; undefined where it has none that is well formed. */
export function digestOf({ sha256, key }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof sha256 === 'string' && SHA256_HEX.test(sha256)) return sha256.toLowerCase();
  if (typeof key === 'string' && key !== '') return digestApiKey(key);
  return undefined;
}

export function toApiKeyEntry(written: WrittenEntry): ApiKeyEntry {
  const { requests_per_second: rate } = written;
  return {
    sha256: digestOf(written) ?? '',
    subject: written.subject ?? '',
    scopes: written.scopes ?? [],
    notBeforeMs: written.not_before === undefined ? null : parseTimestampMs(written.not_before),
    expiresAtMs: written.expires_at === undefined ? null : parseTimestampMs(written.expires_at),
    methods: written.methods ?? [],
    limit: rate === undefined ? null : { rate, burst: capacityOf(rate, written.burst) },
  };
}
