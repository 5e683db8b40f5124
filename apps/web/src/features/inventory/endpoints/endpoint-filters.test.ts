import { describe, expect, it } from 'vitest';
import type { FlagCatalogue } from '../use-inventory.ts';
import { toEndpointFilters, toEndpointQuery } from './endpoint-filters.ts';

const flags: FlagCatalogue = { flags: [], activeDays: 7, titleOf: (flag) => flag, find: () => undefined };
const filters = toEndpointFilters({ flags, services: [] });

describe('the filters of the endpoints', () => {
  it('have every filter of the specification', () => {
    const names = filters.map(({ name }) => name);
    // Specification, "Listing filters": catalog and layout are switches of the page.
    for (const name of [
      'min_seen',
      'method',
      'protocol',
      'risk_flag',
      'pii_category',
      'endpoint_category',
      'host',
      'normalized_path',
      'min_risk_score',
      'max_risk_score',
      'last_seen_from',
      'last_seen_to',
      'country',
      'asn',
      'source_ip',
      'user_agent',
    ])
      expect(names).toContain(name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('show a time of the URL for people, and anything else as it is', () => {
    const describeFrom = filters.find(({ name }) => name === 'last_seen_from')?.describe;
    expect(describeFrom?.('2026-11-28T12:00:00.000Z')).toContain('2026');
    expect(describeFrom?.('<script>')).toBe('<script>');
  });
});

describe('the query of the API', () => {
  it('has one value where the API takes one, also if the URL has several', () => {
    const query = { host: ['a.example', 'b.example'], method: ['GET', 'PUT'], min_risk_score: ['10'] };
    expect(toEndpointQuery(query, { isAttack: false })).toEqual({
      host: 'b.example',
      method: ['GET', 'PUT'],
      min_risk_score: '10',
    });
  });

  it('asks for maturity only among confirmed operations', () => {
    expect(toEndpointQuery({ min_seen: ['5'] }, { isAttack: false })).toEqual({ min_seen: '5' });
    expect(toEndpointQuery({ min_seen: ['5'], q: 'x' }, { isAttack: true })).toEqual({ q: 'x' });
  });
});
