import { describe, expect, it } from 'vitest';
import { createGroup } from '../testing/group.ts';
import type { FlagCatalogue } from '../use-inventory.ts';
import { FACETS, facetLabel, shortFacetLabel, toEventFilters, toEventQuery } from './event-filters.ts';

const flags: FlagCatalogue = { flags: [], activeDays: 7, titleOf: (flag) => flag, find: () => undefined };

describe('the filters of requests', () => {
  const filters = toEventFilters({ flags, services: [], clients: [] });
  const names = filters.map(({ name }) => name);

  it('have different names, and one for each group that is counted', () => {
    expect(new Set(names).size).toBe(names.length);
    for (const filter of Object.values(FACETS)) expect(names).toContain(filter);
  });

  it('have the filters of the specification for the events of an endpoint', () => {
    for (const name of ['method', 'status_min', 'status_max', 'request_id', 'risk_flag', 'min_risk_score'])
      expect(names).toContain(name);
  });
});

describe('the query of the API', () => {
  it('has one value where the API takes one, and neither search nor sorting', () => {
    expect(
      toEventQuery({ q: 'x', sort: '-time', host: ['a', 'b'], status: ['404', '500'], confirmed: ['true'] }),
    ).toEqual({ host: 'b', status: ['404', '500'], confirmed: 'true' });
  });
});

it.each([
  ['country', 'NL', null, 'Netherlands'],
  ['country', '', null, 'unknown'],
  ['consumer', '', null, 'anonymous'],
  ['action', '', null, 'not inspected'],
  ['service', 'id', 'shop', 'shop'],
  ['service', 'id', null, 'id'],
  ['status_class', 'none', null, 'No response'],
] as const)('the group %s %j is shown as %s', (facet, value, label, shown) => {
  expect(facetLabel(facet, createGroup(value, label))).toBe(shown);
});

it.each([
  ['GET shop.example.com/api/{id}', 'GET /api/{id}'],
  ['GET shop.example.com/', 'GET /'],
  ['GET shop.example.com', 'GET shop.example.com'],
  ['an endpoint without a name', 'an endpoint without a name'],
])('the group of the endpoint %j is shown as %j in a narrow column', (label, shown) => {
  expect(shortFacetLabel('operation', createGroup('0123456789abcdef', label))).toBe(shown);
});
