import * as z from 'zod';
import type { Complaint } from '../problem.ts';
import { type EngineSpec, HEADER_NAME, isRecord } from './engine-spec.ts';
import { burstField, capacityOf, rateField } from './token-bucket.ts';

export interface RateLimitOptions {
  /** Sustained requests per second and key; > 0. */
  readonly rate: number;
  /** Bucket capacity in requests, at least 1; may be fractional where it is derived from the rate. */
  readonly burst: number;
  readonly key: 'ip' | 'host' | 'header';
  /** Lowercase; empty unless `key` is `header`. */
  readonly header: string;
  /** `fleet`: the limit is divided evenly over the proxies that hold the policy. */
  readonly share: 'proxy' | 'fleet';
}

const schema = z.strictObject({
  requests_per_second: rateField,
  burst: burstField.optional(),
  key: z.enum(['ip', 'host', 'header']).optional(),
  header: z.string().optional(),
  share: z.enum(['proxy', 'fleet']).optional(),
});

function check(block: unknown): Complaint[] {
  if (!isRecord(block)) return [];
  const complaints: Complaint[] = [];
  const { requests_per_second: rate, key, header } = block;
  if (typeof rate === 'number' && rate <= 0) {
    complaints.push({ path: ['requests_per_second'], rule: 'rate_limit.rate', message: 'must be greater than 0' });
  }
  if (key === 'header' && (header === undefined || header === null || header === '')) {
    complaints.push({ path: ['header'], rule: 'rate_limit.header', message: 'is required when key is header' });
  } else if (key === 'header' && typeof header === 'string' && !HEADER_NAME.test(header)) {
    complaints.push({ path: ['header'], rule: 'rate_limit.header', message: 'is not a header name' });
  }
  return complaints;
}

function normalize(block: unknown): RateLimitOptions {
  const written = block as z.output<typeof schema>;
  const key = written.key ?? 'ip';
  return {
    rate: written.requests_per_second,
    burst: capacityOf(written.requests_per_second, written.burst),
    key,
    header: key === 'header' ? (written.header ?? '').toLowerCase() : '',
    share: written.share ?? 'proxy',
  };
}

export const rateLimitSpec: EngineSpec<RateLimitOptions> = { schema, check, normalize };
