import { describe, expect, it } from 'vitest';
import { type Binding, isTaken, type ListenerUse, listPorts, shortenAddress, toBindings } from './port-use.ts';

const socket = (address: string, port_value: unknown, more: object = {}) => ({
  socket_address: { address, port_value, ...more },
});

function use(address: unknown, more: Partial<ListenerUse> = {}): ListenerUse {
  const [clientId, serviceId] = ['client', 'service'];
  const names = { clientId, serviceId, service: 'shop', listener: 'web' };
  return { ...names, addresses: [], address, additional: null, binds: true, ...more };
}

function binding(address: string, more: Partial<Binding> = {}): Binding {
  const [first] = toBindings(use(socket(address, 8080)));
  if (!first) throw new Error('no binding');
  return { ...first, ...more };
}

const other = (address: string, more: Partial<Binding> = {}) => binding(address, { serviceId: 'other', ...more });

describe('the sockets of a listener', () => {
  it('include additional addresses and the addresses of the client', () => {
    const listener = use(socket('@client', 8080), {
      addresses: ['192.0.2.1', '2001:DB8:0::1'],
      additional: [{ address: socket('127.0.0.1', 8081) }],
    });
    const found = toBindings(listener).map(({ address, port }) => `${address} ${port}`);
    expect(found).toEqual(['192.0.2.1 8080', '2001:db8::1 8080', '127.0.0.1 8081']);
    expect(listPorts(listener)).toEqual([8080, 8081]);
  });

  it('leave out what opens no known port', () => {
    for (const address of [null, 'text', { pipe: { path: '@web' } }, socket('0.0.0.0', 0), socket('0.0.0.0', 'x')])
      expect(toBindings(use(address, { additional: 'odd' }))).toEqual([]);
    expect(toBindings(use(socket('@client', 8080)))).toEqual([]);
    expect(toBindings(use(socket('0.0.0.0', 8080), { binds: false }))).toEqual([]);
  });

  it('have one spelling per address', () => {
    const same = ['2001:db8:0:0::1', '2001:DB8::1', '2001:db8::0.0.0.1'].map(shortenAddress);
    expect(new Set(same)).toEqual(new Set(['2001:db8::1']));
    expect(shortenAddress('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(shortenAddress('fe80::1%eth0')).toBe('fe80::1');
  });
});

describe('two sockets of different services', () => {
  it.each([
    ['0.0.0.0', '0.0.0.0'],
    ['0.0.0.0', '192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['::', '::'],
    ['::', '2001:db8::1'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['192.0.2.1', '::ffff:192.0.2.1'],
  ])('cannot have %s and %s at the same port', (a, b) => {
    expect(isTaken(binding(a), other(b))).toBe(true);
    expect(isTaken(other(b), binding(a))).toBe(true);
  });

  it.each([
    ['192.0.2.1', '192.0.2.2'],
    ['0.0.0.0', '::'],
    ['::', '192.0.2.1'],
    ['0.0.0.0', '2001:db8::1'],
  ])('may have %s and %s at the same port', (a, b) => {
    expect(isTaken(binding(a), other(b))).toBe(false);
    expect(isTaken(other(b), binding(a))).toBe(false);
  });

  it('conflict if an IPv6 wildcard also takes IPv4', () => {
    expect(isTaken(binding('::', { takesIpv4: true }), other('192.0.2.1'))).toBe(true);
    expect(isTaken(binding('0.0.0.0'), other('::', { takesIpv4: true }))).toBe(true);
  });

  it('may use the same port with another protocol, or on another client', () => {
    expect(isTaken(binding('::'), other('::', { protocol: 'UDP' }))).toBe(false);
    expect(isTaken(binding('::'), other('::', { clientId: 'elsewhere' }))).toBe(false);
  });
});

describe('two listeners of one service', () => {
  it('may have a wildcard and an address, but not the same address', () => {
    expect(isTaken(binding('0.0.0.0'), binding('192.0.2.1', { listener: 'b' }))).toBe(false);
    expect(isTaken(binding('0.0.0.0'), binding('0.0.0.0', { listener: 'b' }))).toBe(true);
  });
});
