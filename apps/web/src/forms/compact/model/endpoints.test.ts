import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../model/json.ts';
import { createEndpoint, type EndpointCell, readEndpoints, writeEndpoint } from './endpoints.ts';
import { writeMember } from './members.ts';
import { pasteEndpoints } from './paste-endpoints.ts';

const socket = (address: Json, port: Json, more: object = {}): Json => ({
  endpoint: { address: { socket_address: { address, port_value: port } } },
  ...more,
});
const rowsOf = (items: readonly Json[]) => {
  const found = readEndpoints([{ lb_endpoints: items }]);
  if (!found.isSimple) throw new Error(found.reason);
  return found.rows;
};
const textOf = (item: Json) => {
  const [row] = rowsOf([item]);
  return [row?.host, row?.port, row?.weight];
};

describe('endpoints', () => {
  it('are rows of host, port and weight, in either spelling of the keys', () => {
    expect(textOf(socket('192.0.2.1', 80, { load_balancing_weight: 3 }))).toEqual(['192.0.2.1', '80', '3']);
    const camel = { endpoint: { address: { socketAddress: { address: '2001:db8::1', portValue: 80 } } } };
    expect(textOf(camel)).toEqual(['[2001:db8::1]', '80', '']);
    expect(textOf({})).toEqual(['', '', '']);
    expect(textOf({ endpoint: null, load_balancing_weight: null })).toEqual(['', '', '']);
  });

  it('name the settings that their rows and their group do not show', () => {
    const item = socket('a', 80, { health_status: 'DRAINING', metadata: null });
    expect(rowsOf([item])[0]?.others).toEqual(['health_status']);
    expect(readEndpoints([{ priority: 1, lbEndpoints: [item] }])).toMatchObject({
      others: ['priority'],
      path: [0, 'lbEndpoints'],
    });
  });

  it.each<[string, Json | undefined, string]>([
    ['a map', {}, 'The endpoints are not a list.'],
    ['two groups', [{}, {}], 'There are 2 groups of endpoints, and it shows only one.'],
    ['a reference', [{ $ref: 'endpoints/x' }], 'The group of endpoints is a reference.'],
    ['another source', [{ leds_cluster_locality_config: {} }], 'The group takes its endpoints from another source.'],
    ['text for a list', [{ lb_endpoints: 'a:1' }], 'The endpoints of the group are not a list.'],
    ['text for an item', [{ lb_endpoints: ['a:1'] }], 'Endpoint 1 is not an object.'],
    ['a name', [{ lb_endpoints: [{}, { endpoint_name: 'x' }] }], 'Endpoint 2 is named elsewhere.'],
    [
      'a pipe',
      [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: '/x' } } } }] }],
      'Endpoint 1 has an address that is not a host and a port.',
    ],
    [
      'a named port',
      [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: 'a', named_port: 'http' } } } }] }],
      'Endpoint 1 has a named port.',
    ],
    ['an odd weight', [{ lb_endpoints: [{ load_balancing_weight: {} }] }], 'Endpoint 1 has a value of a wrong type.'],
    [
      'text for an address',
      [{ lb_endpoints: [{ endpoint: 'a' }] }],
      'Endpoint 1 has an address that is not an object.',
    ],
  ])('with %s are left to the full form, with a reason', (_, value, reason) => {
    expect(readEndpoints(value)).toEqual({ isSimple: false, reason });
  });

  it('are an empty list if nothing is set', () => {
    for (const value of [undefined, null, [], [{}]]) expect(readEndpoints(value)).toMatchObject({ rows: [] });
  });

  it.each<[Json, readonly EndpointCell[]]>([
    [socket('a', 0), []],
    [socket('a', 65_535, { load_balancing_weight: 1 }), []],
    [socket('a', 65_536), ['port']],
    [socket('a', -1), ['port']],
    [socket('a', 1.5), ['port']],
    [socket('a', ''), ['port']],
    [socket('a', 80, { load_balancing_weight: 0 }), ['weight']],
    [socket('a', 80, { load_balancing_weight: 4_294_967_296 }), ['weight']],
    [socket('', 80), ['host']],
    [socket('a b', 80), ['host']],
    [socket('[::1]', 80), ['host']],
    [socket('::1', 80), []],
    [createEndpoint({ host: '2001:db8::1:80', port: '', weight: '' }), ['port']],
  ])('%j has problems in %j', (item, cells) => {
    expect(rowsOf([item])[0]?.problems.map(({ cell }) => cell)).toEqual(cells);
  });

  it('have a problem if all weights are more than Envoy can add up', () => {
    const cells = (items: readonly Json[]) => rowsOf(items).map(({ problems }) => problems.map((one) => one.cell));
    const most = socket('a', 80, { load_balancing_weight: 4_294_967_294 });
    expect(cells([most, socket('b', 80)])).toEqual([[], []]);
    expect(cells([most, socket('b', 80), socket('c', 80)])).toEqual([[], [], ['weight']]);
  });

  it('store numbers as numbers, an IPv6 address without brackets, and text that is no number as text', () => {
    expect(createEndpoint({ host: '[::1]', port: '80', weight: '2' })).toEqual(
      socket('::1', 80, { load_balancing_weight: 2 }),
    );
    expect(writeEndpoint(socket('a', 80), 'port', '80x')).toEqual(socket('a', '80x'));
    expect(writeEndpoint(socket('a', 80, { load_balancing_weight: 2 }), 'weight', '')).toEqual(socket('a', 80));
  });
});

const key = fc.constantFrom('hostname', 'priority', 'unknown', '__proto__', 'x y');
const others = fc.dictionary(key, fc.jsonValue() as fc.Arbitrary<Json>);
const text = fc.oneof(fc.string(), fc.nat().map(String), fc.ipV6(), fc.constantFrom('', '[::1]', '[::1', '0', '65536'));
const anyItem = fc
  .record({
    item: others,
    endpoint: others,
    socket: others,
    host: text,
    port: fc.oneof(fc.nat(), text),
    camel: fc.boolean(),
  })
  .map(({ item, endpoint, socket: inner, host, port, camel }): JsonObject => {
    const address = { ...inner, address: host, [camel ? 'portValue' : 'port_value']: port };
    return { ...item, endpoint: { ...endpoint, address: { [camel ? 'socketAddress' : 'socket_address']: address } } };
  });
const cell = fc.constantFrom<EndpointCell>('host', 'port', 'weight');
const PATHS: Readonly<Record<EndpointCell, readonly string[]>> = {
  host: ['endpoint', 'address', 'socket_address', 'address'],
  port: ['endpoint', 'address', 'socket_address', 'port_value'],
  weight: ['load_balancing_weight'],
};

describe('a change of an endpoint', () => {
  it('is no change if the text is the same', () => {
    fc.assert(
      fc.property(anyItem, cell, (item, where) => {
        const [row] = rowsOf([item]);
        expect(writeEndpoint(item, where, row?.[where] ?? '')).toBe(item);
      }),
    );
  });

  it('changes one value, keeps all others, and stays simple', () => {
    fc.assert(
      fc.property(anyItem, cell, text, (item, where, typed) => {
        const next = writeEndpoint(item, where, typed);
        expect(writeMember(next, PATHS[where], undefined)).toEqual(writeMember(item, PATHS[where], undefined));
        const others = (['host', 'port', 'weight'] as const).filter((one) => one !== where);
        const [before, after] = [rowsOf([item])[0], rowsOf([next])[0]];
        for (const other of others) expect(after?.[other]).toBe(before?.[other]);
        expect(after?.others).toEqual(before?.others);
      }),
    );
  });

  it('loses no typed text: the row shows it, or the same number or address', () => {
    const plain = (shown: string | undefined) => (shown ?? '').replace(/^\[(.*)\]$/, '$1').replace(/^0+(?=\d)/, '');
    fc.assert(
      fc.property(cell, text, (where, typed) => {
        const [row] = rowsOf([writeEndpoint(socket('a', 1), where, typed)]);
        expect(plain(row?.[where])).toBe(plain(typed));
      }),
    );
  });

  it('of a paste writes into the first item, which keeps its settings, and inserts the others after it', () => {
    const items = [socket('a', 1, { health_status: 'DRAINING', load_balancing_weight: 7 }), socket('z', 26)];
    const lines = [
      { host: 'b', port: '2', weight: '' },
      { host: '[::1]', port: '3', weight: '4' },
    ];
    expect(pasteEndpoints(items, { index: 0, replaces: true }, lines)).toEqual({
      items: [
        socket('b', 2, { health_status: 'DRAINING', load_balancing_weight: 7 }),
        socket('::1', 3, { load_balancing_weight: 4 }),
        socket('z', 26),
      ],
      last: 1,
    });
    const after = pasteEndpoints(items, { index: 0, replaces: false }, lines);
    expect(after.items.map((item) => textOf(item)[0])).toEqual(['a', 'b', '[::1]', 'z']);
    expect(after.last).toBe(2);
    expect(after.items[0]).toBe(items[0]);
  });
});
