import { splitStat } from '@flotilla/kit';
import { expect, test } from 'vitest';
import { dropPrivileges } from './privileges.ts';

const identity = { uid: 1_900_000_001, gid: 1_900_000_001 };

test('a service keeps no right but that of binding low ports', () => {
  const { command, uid } = dropPrivileges(['/bin/envoy', '-c', 'x'], identity, '/usr/bin/setpriv');
  expect(uid).toBeUndefined();
  expect(command).toEqual([
    '/usr/bin/setpriv',
    '--reuid=1900000001',
    '--regid=1900000001',
    '--clear-groups',
    '--inh-caps=-all,+net_bind_service',
    '--ambient-caps=-all,+net_bind_service',
    '--bounding-set=-all,+net_bind_service',
    '--no-new-privs',
    '--',
    '/bin/envoy',
    '-c',
    'x',
  ]);
});

test('without setpriv the user changes all the same, and what is missing is said', () => {
  expect(dropPrivileges(['/bin/envoy'], identity, undefined)).toMatchObject({
    command: ['/bin/envoy'],
    uid: 1_900_000_001,
    weakness: expect.stringContaining('1024'),
  });
});

test('an agent that is not root changes nothing', () => {
  expect(dropPrivileges(['/bin/envoy'], undefined, '/usr/bin/setpriv')).toEqual({ command: ['/bin/envoy'] });
});

test('a process may be called anything', () => {
  expect(splitStat('1 (a) Z 5 (x)) S 7 8')?.slice(0, 2)).toEqual(['S', '7']);
  expect(splitStat('nonsense')).toBeUndefined();
});
