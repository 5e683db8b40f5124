import { describe, expect, it } from 'vitest';
import { addPairs, findServedPort, removePairs } from './address-pairs.ts';
import type { ChangedPort } from './openstack/answers.ts';

const MAC = 'fa:16:3e:00:00:01';
const OTHER_MAC = 'fa:16:3e:00:00:02';
const SERVER = '5f0d8a5e-6f0c-4f1a-9a36-0d5c8f3a1b2c';
const PORT: ChangedPort = {
  id: 'p1',
  mac_address: MAC,
  fixed_ips: [{ subnet_id: 's1', ip_address: '10.0.0.10' }],
  allowed_address_pairs: [],
  device_id: SERVER,
};
const withPairs = (...allowed_address_pairs: ChangedPort['allowed_address_pairs']) => ({
  ...PORT,
  allowed_address_pairs,
});

describe('the address pairs of a port', () => {
  it('get what is missing, once, and keep those of others', () => {
    const theirs = { ip_address: '10.0.0.99', mac_address: OTHER_MAC };
    expect(addPairs(withPairs(theirs), ['10.0.0.200', '10.0.0.200', '2001:db8::9'])).toEqual([
      theirs,
      { ip_address: '10.0.0.200' },
      { ip_address: '2001:db8::9' },
    ]);
  });

  it.each([
    ['the address', { ip_address: '10.0.0.200', mac_address: MAC }],
    ['the address without a MAC address', { ip_address: '10.0.0.200' }],
    ['the address, with a MAC address in capitals', { ip_address: '10.0.0.200', mac_address: MAC.toUpperCase() }],
    ['its network', { ip_address: '10.0.0.128/25', mac_address: MAC }],
    ['everything', { ip_address: '0.0.0.0/0' }],
  ])('with %s need no other', (_, pair) => {
    expect(addPairs(withPairs(pair), ['10.0.0.200'])).toBeUndefined();
  });

  it.each([
    ['the address of another MAC address', { ip_address: '10.0.0.200', mac_address: OTHER_MAC }],
    ['another network', { ip_address: '10.0.0.0/25' }],
    ['a network of the other family', { ip_address: '::/0' }],
    ['what is no address', { ip_address: 'any' }],
  ])('with %s need another', (_, pair) => {
    expect(addPairs(withPairs(pair), ['10.0.0.200'])).toEqual([pair, { ip_address: '10.0.0.200' }]);
  });

  it('need none for the address of the port itself, in any spelling of IPv6', () => {
    expect(addPairs(PORT, ['10.0.0.10'])).toBeUndefined();
    expect(addPairs(withPairs({ ip_address: '2001:db8:0:0::9' }), ['2001:DB8::9'])).toBeUndefined();
  });
});

describe('the address pairs of a port that no longer serves an address', () => {
  it.each([
    ['of the port itself', { ip_address: '10.0.0.200', mac_address: MAC.toUpperCase() }],
    ['without a MAC address', { ip_address: '10.0.0.200' }],
  ])('lose the one %s, and keep the others', (_, pair) => {
    const other = { ip_address: '10.0.0.201', mac_address: MAC };
    expect(removePairs(withPairs(other, pair), ['10.0.0.200'])).toEqual([other]);
    expect(removePairs(withPairs({ ip_address: '2001:db8:0:0::9' }), ['2001:db8::9'])).toEqual([]);
  });

  it.each([
    ['another MAC address', { ip_address: '10.0.0.200', mac_address: OTHER_MAC }],
    ['a network', { ip_address: '10.0.0.0/24' }],
    ['a network of one address', { ip_address: '10.0.0.200/32' }],
    ['what is no address', { ip_address: 'any' }],
  ])('keep %s, which is of others', (_, pair) => {
    expect(removePairs(withPairs(pair), ['10.0.0.200'])).toBeUndefined();
  });
});

describe('the port of a server', () => {
  const foreign = { ...PORT, id: 'p2', device_id: 'another' };
  const second = { ...PORT, id: 'p3', fixed_ips: [{ subnet_id: 's1', ip_address: '10.0.0.11' }] };
  const ports = [foreign, second, PORT];

  it.each([
    ['the chosen one', { portId: 'P3', ownAddress: '10.0.0.10' }, 'p3'],
    ['the one with the address of the server', { portId: undefined, ownAddress: '10.0.0.10' }, 'p1'],
    ['none of another server', { portId: 'p2', ownAddress: undefined }, undefined],
    ['none without a known address', { portId: undefined, ownAddress: undefined }, undefined],
  ])('is %s', (_, choice, id) => {
    expect(findServedPort(ports, { server: SERVER.toUpperCase(), ...choice })?.id).toBe(id);
  });
});
