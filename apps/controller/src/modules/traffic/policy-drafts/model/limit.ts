import type { PolicyDraftLimit } from '@flotilla/contract';

/** How many minutes of a source had each count of requests, the largest count first. */
export interface RateDistribution {
  readonly data: readonly { readonly perMinute: number; readonly minutes: number }[];
  readonly values: number;
  readonly minutes: number;
  readonly requests: number;
}

/** Fewer minutes say nothing about the 99.9th percentile. */
const MINUTES_MIN = 30;
const QUANTILE = 0.999;
const PER_MINUTE_MIN = 10;

/** The limits of the reference, where traffic does not suggest one: requests per second, and at once. */
const DEFAULTS = { usual: { rate: 100, burst: 200 }, sensitive: { rate: 10, burst: 20 } } as const;

/** The largest count that a share of the minutes does not exceed. */
export function percentileOfMinutes({ data, minutes }: RateDistribution, quantile: number): number {
  let above = Math.floor(minutes * (1 - quantile));
  for (const entry of data) {
    above -= entry.minutes;
    if (above < 0) return entry.perMinute;
  }
  return data.at(-1)?.perMinute ?? 0;
}

/** Requests that a source may make in a minute: the percentile times the factor. Undefined with too little traffic. */
export function suggestPerMinute(rates: RateDistribution, factor: number): number | undefined {
  if (rates.minutes < MINUTES_MIN) return undefined;
  return Math.max(PER_MINUTE_MIN, Math.ceil(percentileOfMinutes(rates, QUANTILE) * factor));
}

/** A minute's worth of requests may come at once, because the distribution counts whole minutes. */
export function toLimit(
  rates: RateDistribution,
  {
    perMinute,
    factor,
    consumers,
    over,
  }: {
    readonly perMinute: number;
    readonly factor: number;
    readonly consumers: number;
    readonly over: { readonly values: number; readonly minutes: number; readonly excess: number };
  },
): PolicyDraftLimit {
  return {
    requests_per_second: Math.max(0.001, Math.round((perMinute / 60) * 1000) / 1000),
    burst: perMinute,
    per_minute: perMinute,
    basis: 'traffic',
    counted_by: 'source',
    sources: rates.values,
    consumers,
    minutes: rates.minutes,
    requests: rates.requests,
    p999: percentileOfMinutes(rates, QUANTILE),
    max: rates.data[0]?.perMinute ?? 0,
    factor,
    over: { sources: over.values, minutes: over.minutes, requests: over.excess },
  };
}

/** The limit of a path whose traffic suggests none. */
export function defaultLimit(isSensitive: boolean, factor: number, seen?: RateDistribution): PolicyDraftLimit {
  const { rate, burst } = isSensitive ? DEFAULTS.sensitive : DEFAULTS.usual;
  return {
    requests_per_second: rate,
    burst,
    per_minute: rate * 60,
    basis: 'default',
    counted_by: 'source',
    sources: seen?.values ?? 0,
    consumers: null,
    minutes: seen?.minutes ?? 0,
    requests: seen?.requests ?? 0,
    p999: 0,
    max: seen?.data[0]?.perMinute ?? 0,
    factor,
    over: { sources: 0, minutes: 0, requests: 0 },
  };
}

/** Why the limit has its value. */
export function explainLimit(limit: PolicyDraftLimit): string {
  if (limit.basis === 'default') {
    return `No traffic suggests a limit (${limit.minutes} minutes of sources were recorded, ${MINUTES_MIN} are needed), so this is a default. Measure before you block.`;
  }
  const { p999, factor, sources, minutes, per_minute: perMinute, over } = limit;
  const beyond =
    over.requests === 0
      ? 'None of them would have been over it'
      : `${over.sources} of them would have been over it, with ${over.requests} requests in ${over.minutes} minutes`;
  return `${sources} sources made requests in ${minutes} minutes; in 99.9 % of these at most ${p999}. Times ${factor}, this is ${perMinute} a minute. ${beyond}.`;
}
