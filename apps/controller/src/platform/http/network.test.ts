import { expect, it } from 'vitest';
import { networkOf } from './network.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::'],
  ['2001:db8:1:3::1', '2001:db8:1:3::'],
  ['fe80::1%eth0', 'fe80::'],
  ['192.0.2.7:51234', '192.0.2.7'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2::'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::'],
  ['rubbish', 'rubbish'],
  ['rubbish:443', 'rubbish:443'],
])('the address %s is throttled as %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
