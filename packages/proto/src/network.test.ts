import { describe, expect, it } from 'vitest';
import { formatIpPrefix, isInNetwork, parseIpPrefix, toNetwork } from './ip-prefix.ts';
import { isInterfaceName, readPolicyOperations, readRouteOperations, readTableOperations } from './network.ts';

describe('a network or address', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['192.0.2.1/32', '192.0.2.1'],
    ['0.0.0.0/0', 'default'],
    ['::/0', 'default'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:0', '2001:db8:0:0:1::'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['::ffff:192.0.2.1', '::ffff:c000:201'],
    ['::/128', '::'],
  ])('%s is written as the kernel does: %s', (text, expected) => {
    const prefix = parseIpPrefix(text);
    expect(prefix && formatIpPrefix(prefix)).toBe(expected);
  });

  it.each([
    ['192.0.2.77/26', '192.0.2.64', ['192.0.2.65', '192.0.2.127'], ['192.0.2.63', '192.0.2.128', '::c000:241', 'x']],
    ['192.0.2.1/0', '0.0.0.0', ['255.255.255.255'], ['::']],
    ['192.0.2.1/32', '192.0.2.1', ['192.0.2.1'], ['192.0.2.0']],
    ['2001:db8:0:7::9/49', '2001:db8::', ['2001:DB8:0:7fff::1'], ['2001:db8:0:8000::', '192.0.2.1']],
  ] as const)('%s is in the network %s, as are other addresses of it', (text, network, inside, outside) => {
    const prefix = parseIpPrefix(text);
    if (!prefix) throw new Error(text);
    expect(toNetwork(prefix)).toEqual({ ...prefix, address: network, isNetwork: true });
    for (const one of inside) expect(isInNetwork(one, prefix), one).toBe(true);
    for (const one of outside) expect(isInNetwork(one, prefix), one).toBe(false);
  });

  it.each([
    '',
    '1',
    '192.0.2',
    '192.0.2.256',
    '192.0.02.1',
    '192.0.2.1/33',
    '192.0.2.1/024',
    '192.0.2.1/',
    '/24',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::1/129',
    'fe80::1%eth0',
    '12345::',
    '::g',
    '1.2.3.4::',
    '::1.2.3',
    ' ::1',
    '::1\n',
    `${'1'.repeat(1024 * 1024)}`,
  ])('%j is neither', (text) => expect(parseIpPrefix(text)).toBeUndefined());

  it.each([
    ['192.0.2.1/24', false],
    ['192.0.2.0/24', true],
    ['192.0.2.128/25', true],
    ['192.0.2.192/25', false],
    ['2001:db8::/32', true],
    ['2001:db8::1/64', false],
    ['::1', true],
  ])('%s names a network itself: %s', (text, is) => expect(parseIpPrefix(text)?.isNetwork).toBe(is));
});

const HOSTILE = [
  'eth0\n',
  'a b',
  'a;b',
  '$(x)',
  '`x`',
  '"x"',
  "x'",
  'a\u0000b',
  '../x',
  '-force',
  '--',
  'é',
  'x'.repeat(1024 * 1024),
];

describe('operations', () => {
  const route = (fields: object, action = 'ADD') =>
    readRouteOperations({
      route_operations: [{ action, route: { to: '192.0.2.0/24', interface: 'eth0', ...fields } }],
    });
  const policy = (fields: object) =>
    readPolicyOperations({
      policy_operations: [
        { action: 'ADD', policy: { from: '192.0.2.0/24', table: 100, priority: 100, interface: 'eth0', ...fields } },
      ],
    });
  const table = (fields: object) =>
    readTableOperations({ table_operations: [{ action: 'ADD', table: { id: 100, name: 'up', ...fields } }] });

  it('have a family from the destination, or from the next hop of a default route', () => {
    expect(route({ to: 'default', via: '2001:db8::1' })).toMatchObject({
      ok: true,
      value: [{ spec: { family: 6, to: 'default' } }],
    });
    expect(route({ to: undefined, is_default: true })).toMatchObject({
      ok: true,
      value: [{ spec: { family: 4, to: 'default' } }],
    });
    expect(route({ to: '::/0' })).toMatchObject({ ok: true, value: [{ spec: { family: 6, to: 'default' } }] });
  });

  it.each<[string, object]>([
    ['to', { to: undefined }],
    ['to', { to: '192.0.2.1/24' }],
    ['via', { via: '2001:db8::1' }],
    ['via', { via: '192.0.2.0/24' }],
    ['source', { source: '2001:db8::1' }],
    ['is_default', { is_default: true }],
    ['table', { table: 255 }],
    ['table', { table: 253 }],
    ['table', { table: 0 }],
    ['table', { table: 1000 }],
    ['table', { table: '100' }],
    ['metric', { metric: -1 }],
    ['metric', { metric: 1.5 }],
    ['metric', { metric: 4_294_967_296 }],
    ['protocol', { protocol: 'bgp' }],
    ['scope', { scope: 'site' }],
    ['scope', { to: '2001:db8::/64', scope: 'link' }],
    ['onlink', { onlink: 'yes' }],
    ['interface', { interface: undefined }],
    ['dev', { dev: 'eth0' }],
    ['__proto__x', { __proto__x: 1 }],
  ])('of routes are refused at %s: %j', (at, fields) => {
    expect(route(fields)).toMatchObject({ ok: false, error: { at: ['route_operations', 0, 'route', at] } });
  });

  it.each<[string, object]>([
    ['priority', { priority: 0 }],
    ['priority', { priority: 32766 }],
    ['priority', { priority: undefined }],
    ['table', { table: 255 }],
    ['table', { table: undefined }],
    ['from', { from: undefined }],
    ['to', { to: '2001:db8::/64' }],
    ['interface', { interface: undefined }],
  ])('of policies are refused at %s: %j', (at, fields) => {
    expect(policy(fields)).toMatchObject({ ok: false, error: { at: ['policy_operations', 0, 'policy', at] } });
  });

  it.each([
    { id: 254 },
    { id: 99 },
    { id: 255 },
    { name: 'main' },
    { name: 'Local' },
    { name: '100' },
    { name: 'a b' },
  ])('of tables are refused with %j', (fields) => expect(table(fields).ok).toBe(false));

  it.each(HOSTILE)('refuse a text that could leave its field: %j', (text) => {
    expect(isInterfaceName(text)).toBe(false);
    for (const name of ['to', 'via', 'interface', 'source', 'scope', 'protocol'])
      expect(route({ [name]: text }).ok).toBe(false);
    for (const name of ['from', 'to', 'interface']) expect(policy({ [name]: text }).ok).toBe(false);
    expect(table({ name: text }).ok).toBe(false);
    expect(route({}, text).ok).toBe(false);
  });

  it.each([
    [undefined],
    [[]],
    ['ADD'],
    [{}],
    [Array.from({ length: 257 }, () => ({}))],
    [[null]],
    [[{ action: 'ADD' }]],
  ])('are refused in another form: %#', (route_operations) =>
    expect(readRouteOperations({ route_operations }).ok).toBe(false),
  );
});
