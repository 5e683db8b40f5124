import * as z from 'zod';
import { mayBeOverridden } from '../method-words.ts';
import type { Complaint } from '../problem.ts';
import { parseTimestampMs } from '../timestamp.ts';
import { digestApiKey } from './api-key-digest.ts';
import { isRecord } from './engine-spec.ts';
import { findMethodFault } from './methods.ts';
import { burstField, capacityOf, rateField } from './token-bucket.ts';

/** The rate limit of one key, across all clients that use it. */
export interface KeyLimit {
  /** Sustained requests per second; > 0. */
  readonly rate: number;
  /** Maximum burst, at least 1; may be fractional if derived from the rate. */
  readonly burst: number;
}

export interface ApiKeyEntry {
  /** SHA-256 of the key, 64 lowercase hex digits. */
  readonly sha256: string;
  /** Empty if the key names nobody. */
  readonly subject: string;
  readonly scopes: readonly string[];
  /** Start of validity in ms since the epoch; null for always. */
  readonly notBeforeMs: number | null;
  /** End of validity (exclusive) in ms since the epoch; null for never. */
  readonly expiresAtMs: number | null;
  /** As sent, because methods are case-sensitive (RFC 9110 section 9.1). Empty for any. */
  readonly methods: readonly string[];
  /** Null if the key has no limit of its own. */
  readonly limit: KeyLimit | null;
}

export const apiKeyEntryField = z
  .strictObject({
    // Anyone who has the digest of a key that a person made up can find the key.
    sha256: z
      .string()
      .meta({ secret: true, description: 'SHA-256 of the key: 64 hexadecimal digits. Set either this or key' })
      .optional(),
    subject: z.string().optional().describe('Identifies the owner of the key'),
    scopes: z.array(z.string().min(1)).optional().describe('Scopes of the key'),
    not_before: z.string().optional().describe('Valid from this time on, for example 2027-01-31T00:00:00Z'),
    expires_at: z.string().optional().describe('Valid until this time, for example 2027-12-31T00:00:00Z'),
    methods: z
      .array(z.string().max(64))
      .min(1)
      .max(32)
      .optional()
      .describe(
        'Methods that the key allows, exactly as sent: GET does not allow HEAD. Overrides of the method in headers, parameters and inspected bodies count, too. Empty: every method',
      ),
    requests_per_second: rateField
      .optional()
      .describe('Sustained requests per second for this key. Not set: no limit of its own'),
    burst: burstField
      .optional()
      .meta({ description: 'Burst size for this key; 0 derives it from the rate', default: 0 }),
    key: z
      .string()
      .meta({
        secret: true,
        writeOnly: true,
        description: 'The key itself; replaced with its SHA-256 when the policy is saved',
      })
      .optional(),
  })
  .meta({ title: 'ApiKeyEntry' });

type WrittenEntry = z.output<typeof apiKeyEntryField>;

const SHA256_HEX = /^[0-9a-fA-F]{64}$/;

/**
 * All buckets of a block share one limiter, which counts in time: a bucket of 31 days still has a resolution of a
 * microsecond.
 */
const REFILL_MAX_S = 31 * 24 * 3600;

/** Whether a body field may override the methods of this entry. */
export function isOverridable(entry: unknown): boolean {
  return isRecord(entry) && mayBeOverridden(entry.methods);
}

/** Checks one entry, whose values may have any shape. Paths are relative to it. */
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
        message: 'cannot be combined with sha256: give one of the two',
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
  return methods.flatMap((_, index): Complaint[] => {
    const message = findMethodFault(methods, index);
    return message === undefined ? [] : [{ path: ['methods', index], rule: 'api_key.method', message }];
  });
}

function checkLimit({ requests_per_second: rate, burst }: Readonly<Record<string, unknown>>): Complaint[] {
  if (rate === undefined || rate === null) {
    if (typeof burst !== 'number') return [];
    const message = 'has no effect without requests_per_second';
    return [{ path: ['burst'], rule: 'api_key.burst', message, at: 'key' }];
  }
  // The schema reports values that are not numbers.
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
      message: 'needs more than 31 days to refill at this rate',
    },
  ];
}

/** The SHA-256 of an entry's key in lowercase hexadecimal; undefined if it has no well-formed key. */
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
