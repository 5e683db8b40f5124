import type { LogEntry } from '@flotilla/access-log';
import { fromFlagBits } from '@flotilla/inventory';
import { describe, expect, it } from 'vitest';
import { GeoDatabase } from './source/geo-database.ts';
import { NOON_MS } from './testing/entries.ts';
import { createGeoFile } from './testing/mmdb.ts';
import { collect, createPipeline } from './testing/pipeline.ts';

type Made = Partial<LogEntry>;

/** The numbers of the requests that have the flag. */
function flagged(flag: string, entries: readonly Made[], options: Parameters<typeof createPipeline>[0] = {}): number[] {
  const { events } = collect(createPipeline(options), entries, { nowMs: NOON_MS + 3_600_000 });
  return events.flatMap((event, index) => (fromFlagBits(event.flags ?? []).some((name) => name === flag) ? index : []));
}

function repeat(count: number, make: (index: number) => Made): Made[] {
  return Array.from({ length: count }, (_, index) => ({ timeMs: NOON_MS + index * 100, ...make(index) }));
}

const login = { method: 'POST', path: '/login', status: 401 } as const;

describe('brute force', () => {
  it('is the tenth refused sign-in of a consumer', () => {
    expect(
      flagged(
        'brute_force_suspect',
        repeat(12, () => login),
      ),
    ).toEqual([9, 10, 11]);
  });

  it('is the twentieth refused sign-in of an address, whatever consumers it claims', () => {
    const guesses = repeat(22, (index) => ({ ...login, identityHash: index.toString(16).padStart(32, '0') }));
    expect(flagged('brute_force_suspect', guesses)).toEqual([19, 20, 21]);
  });

  it('is not an office whose people sign in', () => {
    const office = repeat(100, (index) => ({
      ...login,
      auth: 'none',
      identityHash: '',
      status: index % 4 ? 200 : 401,
    }));
    expect(flagged('brute_force_suspect', office)).toEqual([]);
  });

  it('does not count by the address of a trusted proxy', () => {
    const anonymous = repeat(60, () => ({ ...login, auth: 'none', identityHash: '' }) as const);
    expect(flagged('brute_force_suspect', anonymous)).not.toEqual([]);
    const settings = { policy: { trusted_proxy_cidrs: ['198.51.100.0/24'] } };
    expect(flagged('brute_force_suspect', anonymous, { settings })).toEqual([]);
  });

  it('is not ten refusals within an hour', () => {
    const slow = repeat(12, (index) => ({ ...login, timeMs: NOON_MS + index * 300_000 }));
    expect(flagged('brute_force_suspect', slow)).toEqual([]);
  });

  it('is bound to the category of the path', () => {
    const refusedAt = (path: string) =>
      flagged(
        'brute_force_suspect',
        repeat(12, () => ({ ...login, path })),
      ).length;
    expect(['/login', '/oauth2/token', '/orders', '/tokenizer'].map(refusedAt).map((count) => count > 0)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('can be switched off', () => {
    const settings = { detection: { brute_force: { enabled: false } } };
    expect(
      flagged(
        'brute_force_suspect',
        repeat(50, () => login),
        { settings },
      ),
    ).toEqual([]);
  });
});

it('payments that are declined again and again are payment abuse', () => {
  const card = (status: number) => ({ method: 'POST', path: '/checkout', status });
  expect(
    flagged(
      'payment_abuse_suspect',
      repeat(11, () => card(402)),
    ),
  ).toEqual([9, 10]);
  expect(
    flagged(
      'payment_abuse_suspect',
      repeat(40, (index) => card(index % 4 ? 200 : 402)),
    ),
  ).toEqual([]);
});

it('declined requests elsewhere are no payment abuse', () => {
  const declined = (path: string) =>
    flagged(
      'payment_abuse_suspect',
      repeat(12, () => ({ method: 'POST', path, status: 402 })),
    ).length;
  expect(['/refunds', '/orders'].map(declined).map((count) => count > 0)).toEqual([true, false]);
});

describe('broken object authorization', () => {
  const read = (count: number, statusOf: (index: number) => number) =>
    repeat(count, (index) => ({ path: `/orders/${10_000 + index}`, status: statusOf(index) }));

  it('is a consumer that tries many objects of which many are refused', () => {
    const found = flagged(
      'bola_suspect',
      read(60, (index) => (index % 2 ? 403 : 200)),
    );
    // From the first refusal on.
    expect(found[0]).toBe(50);
  });

  it('is not a consumer that reads its own many objects', () => {
    expect(
      flagged(
        'bola_suspect',
        read(100, () => 200),
      ),
    ).toEqual([]);
  });

  it('is not one object that is asked for again and again', () => {
    expect(
      flagged(
        'bola_suspect',
        repeat(100, () => ({ path: '/orders/12345', status: 403 })),
      ),
    ).toEqual([]);
  });
});

it('forty missing paths of one client are a path scan', () => {
  const scan = repeat(
    45,
    (index) => ({ path: `/guess-${index}`, status: 404, auth: 'none', identityHash: '' }) as const,
  );
  expect(flagged('path_scan_suspect', scan)[0]).toBe(39);
  expect(
    flagged(
      'path_scan_suspect',
      repeat(100, () => ({ path: '/gone', status: 404 })),
    ),
  ).toEqual([]);
});

it('rates are compared with thresholds once they are switched on', () => {
  const flood = repeat(30, () => ({ timeMs: NOON_MS }));
  expect(flagged('rate_anomaly', flood)).toEqual([]);
  const settings = {
    detection: { rate_anomaly: { enabled: true, threshold: 20 }, ip_rate: { enabled: true, threshold: 25 } },
  };
  expect(flagged('rate_anomaly', flood, { settings })[0]).toBe(20);
  expect(flagged('ip_rate_anomaly', flood, { settings })[0]).toBe(25);
});

it('a signed request that is accepted a third time is a replay', () => {
  const hook = { method: 'POST', path: '/hooks', auth: 'signature', requestId: 'a', identityHash: '' } as const;
  expect(
    flagged(
      'replay_suspect',
      repeat(4, () => hook),
    ),
  ).toEqual([2, 3]);
  expect(
    flagged(
      'replay_suspect',
      repeat(9, (index) => ({ ...hook, requestId: `id-${index}` })),
    ),
  ).toEqual([]);
  expect(
    flagged(
      'replay_suspect',
      repeat(9, () => ({ ...hook, auth: 'jwt' }) as const),
    ),
  ).toEqual([]);
});

describe('places of a consumer', () => {
  const city = new GeoDatabase(
    createGeoFile({
      '198.51.100.0/24': { country: { iso_code: 'DE' }, continent: { code: 'EU' } },
      '203.0.113.0/24': { country: { iso_code: 'BR' }, continent: { code: 'SA' } },
    }),
  );
  const asn = new GeoDatabase(
    createGeoFile({
      '203.0.113.0/25': { autonomous_system_number: 64_500, autonomous_system_organization: 'Example Hosting' },
    }),
  );
  const from = (address: string) => ({ sourceAddress: address });
  const knowledge = { city };

  it('one change of continent is a note, and a second one is an impossible journey', () => {
    const entries = [from('198.51.100.1'), from('203.0.113.200'), from('198.51.100.2')];
    expect(flagged('geo_change', entries, { knowledge })).toEqual([1]);
    expect(flagged('impossible_travel', entries, { knowledge })).toEqual([2]);
  });

  it('a change to the network of a hosting company is one at once', () => {
    const entries = [from('198.51.100.1'), from('203.0.113.5')];
    expect(flagged('impossible_travel', entries, { knowledge: { city, asn } })).toEqual([1]);
    const settings = { policy: { trusted_egress_asns: ['AS64500'] } };
    expect(flagged('impossible_travel', entries, { knowledge: { city, asn }, settings })).toEqual([]);
  });

  it('programs with a client certificate are everywhere', () => {
    const entries = [from('198.51.100.1'), from('203.0.113.9'), from('198.51.100.1'), from('203.0.113.9')].map(
      (entry) => ({ ...entry, auth: 'mtls' }) as const,
    );
    expect(flagged('impossible_travel', entries, { knowledge })).toEqual([]);
  });

  it('events say the country and the network', () => {
    const { events } = collect(createPipeline({ knowledge: { city, asn } }), [from('203.0.113.5'), from('10.0.0.1')]);
    expect(events.map(({ country, asn: number }) => [country, number])).toEqual([
      ['BR', 64_500],
      ['', 0],
    ]);
  });
});

describe('what is normal for an operation', () => {
  it('answers that are far larger than before are conspicuous, the second one in a row', () => {
    const usual = repeat(40, () => ({ responseBytes: 5000 }));
    const leak = repeat(3, () => ({ timeMs: NOON_MS + 60_000, responseBytes: 900_000 }));
    expect(flagged('oversized_response', [...usual, ...leak])).toEqual([41, 42]);
    const exports = [...usual, ...leak].map((entry) => ({ ...entry, path: '/orders/export' }));
    expect(flagged('oversized_response', exports)).toEqual([]);
  });

  it('slow answers are conspicuous after the time of the start', () => {
    const usual = repeat(100, (index) => ({ timeMs: NOON_MS + index * 10_000, latencyUs: 10_000 + index }));
    const slow = repeat(4, (index) => ({ timeMs: NOON_MS + 1_100_000 + index, latencyUs: 3_000_000 }));
    expect(flagged('latency_anomaly', [...usual, ...slow])).toEqual([102, 103]);
  });

  it('client errors far above their usual share are a spike', () => {
    const usual = repeat(200, (index) => ({ timeMs: NOON_MS + index * 5000, status: index % 50 ? 200 : 400 }));
    const broken = repeat(10, (index) => ({ timeMs: NOON_MS + 1_100_000 + index, status: 400 }));
    expect(flagged('error_rate_spike', [...usual, ...broken]).length).toBeGreaterThan(3);
    expect(flagged('error_rate_spike', usual)).toEqual([]);
  });
});
