import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../model/json.ts';
import { placeOfNew, readFilters, writeDisabled, writeName } from './http-filters.ts';
import { writeMember } from './members.ts';

const rowsOf = (items: readonly Json[]) => {
  const found = readFilters(items);
  if (!found.isSimple) throw new Error(found.reason);
  return found.rows;
};
const HTTP = 'envoy.extensions.filters.http';
const filter = (type: string, more: JsonObject = {}): JsonObject => ({
  name: 'n',
  typed_config: { '@type': `type.googleapis.com/${HTTP}.${type}` },
  ...more,
});
const router = filter('router.v3.Router');
const cors = filter('cors.v3.Cors');
const messages = (items: readonly Json[]) =>
  rowsOf(items).map(({ problems }) => problems.map(({ message }) => message));

describe('HTTP filters', () => {
  it('are rows of name, type and state, in both spellings', () => {
    const item = { name: 'a', typedConfig: { '@type': `x/${HTTP}.cors.v3.Cors` }, disabled: true, isOptional: true };
    expect(rowsOf([item, { $ref: 'filters/x' }, { name: 'b', config_discovery: {} }])).toMatchObject([
      { name: 'a', type: `${HTTP}.cors.v3.Cors`, reference: undefined, isDisabled: true, others: ['isOptional'] },
      { reference: 'filters/x', problems: [] },
      { name: 'b', type: undefined, isDisabled: false, others: ['config_discovery'] },
    ]);
    expect(readFilters(undefined)).toEqual({ isSimple: true, rows: [] });
    expect(readFilters(null)).toEqual({ isSimple: true, rows: [] });
  });

  it.each<[Json, string]>([
    [{}, 'The HTTP filters are not a list.'],
    [['x'], 'Filter 1 is not an object.'],
    [[null], 'Filter 1 is not an object.'],
    [[router, { name: 5 }], 'Filter 2 has a value of a wrong type.'],
    [[{ name: 'a', disabled: 'true' }], 'Filter 1 has a value of a wrong type.'],
    [[{ name: 'a', typed_config: [] }], 'Filter 1 has a value of a wrong type.'],
  ])('%j are left to the full form, with a reason', (value, reason) => {
    expect(readFilters(value)).toEqual({ isSimple: false, reason });
  });

  it('have a problem if the router is not the last one', () => {
    expect(messages([cors, router])).toEqual([[], []]);
    expect(messages([router, cors])).toEqual([
      ['The router must be the last filter.'],
      ['The last filter must be the router.'],
    ]);
    expect(messages([router, router])).toEqual([['The router must be the last filter.'], []]);
  });

  it('have no problem if the last one may be a router', () => {
    const last: readonly Json[] = [
      { $ref: 'filters/x' },
      { name: 'b', config_discovery: {} },
      filter('dynamic_modules.v3.DynamicModuleFilter'),
      filter('mcp_router.v3.McpRouter'),
    ];
    for (const item of last) expect(messages([cors, item])).toEqual([[], []]);
  });

  it('have a problem without a name, and if the last one is off', () => {
    expect(
      messages([
        { ...cors, name: '' },
        { ...router, disabled: true },
      ]),
    ).toEqual([['Name is required.'], ['The last filter must be on.']]);
    expect(messages([{ ...cors, disabled: true }, router])).toEqual([[], []]);
  });

  it('get a new one before the router, and a router at the end', () => {
    const routerType = `${HTTP}.router.v3.Router`;
    expect(placeOfNew(rowsOf([cors, router]), `${HTTP}.cors.v3.Cors`)).toBe(1);
    expect(placeOfNew(rowsOf([cors, router]), undefined)).toBe(1);
    expect(placeOfNew(rowsOf([cors, router]), routerType)).toBe(2);
    expect(placeOfNew(rowsOf([router, cors]), undefined)).toBe(2);
    expect(placeOfNew([], routerType)).toBe(0);
  });
});

const anyFilter = fc
  .record({
    others: fc.dictionary(
      fc.constantFrom('is_optional', 'config_discovery', 'unknown', '__proto__', 'typed_config'),
      fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>,
    ),
    name: fc.option(fc.string(), { nil: undefined }),
    disabled: fc.option(fc.boolean(), { nil: undefined }),
  })
  .map(
    ({ others, name, disabled }): JsonObject => ({
      ...others,
      ...(name !== undefined && { name }),
      ...(disabled !== undefined && { disabled }),
    }),
  );

describe('a change of an HTTP filter', () => {
  it('is no change if the name is the same', () => {
    fc.assert(
      fc.property(anyFilter, (item) => {
        expect(writeName(item, rowsOf([item])[0]?.name ?? '')).toBe(item);
      }),
    );
  });

  it('keeps everything else and can be read again', () => {
    const without = (item: JsonObject, field: string) => writeMember(item, [field], undefined);
    fc.assert(
      fc.property(anyFilter, fc.string(), fc.boolean(), (item, name, isDisabled) => {
        const named = writeName(item, name);
        expect(without(named, 'name')).toEqual(without(item, 'name'));
        expect(rowsOf([named])[0]?.name).toBe(name);
        const switched = writeDisabled(item, isDisabled);
        expect(without(switched, 'disabled')).toEqual(without(item, 'disabled'));
        expect(rowsOf([switched])[0]?.isDisabled).toBe(isDisabled);
      }),
    );
  });
});
