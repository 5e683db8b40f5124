import * as z from 'zod';
import type { Complaint } from '../problem.ts';
import { type EngineSpec, HEADER_NAME, isRecord } from './engine-spec.ts';
import { burstField, capacityOf, rateField } from './token-bucket.ts';

export interface RateLimitOptions {
  /** Sustained requests per second and key; > 0. */
  readonly rate: number;
  /** Bucket capacity in requests, at least 1; may be fractional if derived from the rate. */
  readonly burst: number;
  readonly key: 'ip' | 'host' | 'header';
  /** Lowercase; empty unless `key` is `header`. */
  readonly header: string;
  /** `fleet`: the limit is divided evenly among the proxies with the policy. */
  readonly share: 'proxy' | 'fleet';
}

const schema = z
  .strictObject({
    requests_per_second: rateField.describe('Sustained rate per key'),
    burst: burstField.optional().meta({ description: 'Burst size; 0 derives it from the rate', default: 0 }),
    key: z.enum(['ip', 'host', 'header']).optional().meta({
      title: 'LimiterKey',
      description: 'What to count by: the client address, the host, or the value of a header',
      default: 'ip',
    }),
    header: z.string().optional().describe('Request header to count by; required if key is header'),
    share: z.enum(['proxy', 'fleet']).optional().meta({
      title: 'LimitShare',
      description: 'The full limit for each proxy, or divided evenly over all proxies with the policy',
      default: 'proxy',
    }),
  })
  .meta({
    title: 'RateLimit',
    description: 'Token bucket per client address, host or header; null disables an inherited one',
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
