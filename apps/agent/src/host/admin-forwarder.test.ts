import { expect, test } from 'vitest';
import { judgeAdminRequest } from './admin-forwarder.ts';
import { findOwner } from './tcp-owner.ts';

const local = { host: '127.0.0.1:9901' };

test.each([
  ['GET', '/ready', local, 'forward'],
  ['GET', '/config_dump?include_eds', local, 'forward'],
  ['GET', '/stats/prometheus', { host: 'localhost:9901' }, 'forward'],
  ['POST', '/logging?level=debug', local, 'forward'],
  ['POST', '/healthcheck/fail', local, 'forward'],
  ['POST', '/quitquitquit', local, 'path'],
  ['GET', '/quitquitquit', local, 'path'],
  ['POST', '/drain_listeners?graceful', local, 'path'],
  ['POST', '/cpuprofiler?enable=y', local, 'path'],
  ['GET', '/healthcheck/fail', local, 'path'],
  ['POST', '//quitquitquit', local, 'path'],
  ['DELETE', '/ready', local, 'method'],
  ['PUT', '/logging', local, 'method'],
  ['GET', '/ready', { host: 'rebound.example.com' }, 'origin'],
  ['GET', '/ready', {}, 'origin'],
  ['POST', '/logging', { ...local, origin: 'http://127.0.0.1:9901' }, 'origin'],
  ['GET', '/config_dump', { ...local, 'sec-fetch-site': 'cross-site' }, 'origin'],
] as const)('%s %s is judged %s', (method, path, headers, verdict) => {
  expect(judgeAdminRequest(method, path, headers)).toBe(verdict);
});

test('the owner of a connection is found by both of its ends', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:26AD 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1',
    '   1: 0100007F:C001 0100007F:26AD 01 00000000:00000000 00:00000000 00000000 1900000007        0 2 1',
    '   2: 0100007F:26AD 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 3 1',
  ];
  const owner = (port: number) =>
    findOwner(table.join('\n'), { address: '127.0.0.1', port }, { address: '127.0.0.1', port: 0x26ad });
  expect(owner(0xc001)).toBe(1_900_000_007);
  expect(owner(0xc002)).toBeUndefined();
});
