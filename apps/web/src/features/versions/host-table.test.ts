import type { CommandResultRecord } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { countHosts, toHostTable } from './host-table.ts';

const answer = (client_id: string, more: Partial<CommandResultRecord>): CommandResultRecord => ({
  client_id,
  client_name: `name of ${client_id}`,
  command_id: null,
  outcome: 'done',
  duration_ms: 1,
  ...more,
});
const installed = (used_by: readonly string[]) => ({
  installed: [{ version: '1.40.0', source: 'cache', path: '/x', sha256: 'ab', bytes: 7, used_by }],
});

it('the table of hosts has a row for each version, and names hosts that did not answer', () => {
  const binaries = [{ arch: 'linux-amd64', download_url: 'https://archive.example.com/e', sha256: 'ab' }];
  const { rows, silent } = toHostTable(
    [
      answer('a', { result: installed(['service shop']) }),
      answer('b', { result: installed([]) }),
      answer('c', { outcome: 'failed', error: { code: 'x', message: 'no space' }, result: installed([]) }),
      answer('d', { result: 'nonsense', client_name: null }),
    ],
    [{ version: '1.40.0', date: null, binaries }],
  );
  expect(rows.map(({ clientName, version, match }) => [clientName, version, match])).toEqual([
    ['name of a', '1.40.0', 'same'],
    ['name of b', '1.40.0', 'same'],
  ]);
  expect(silent).toEqual([
    { name: 'name of c', reason: 'no space' },
    { name: 'd', reason: undefined },
  ]);
  expect(countHosts(rows, '1.40.0')).toEqual({ have: 2, use: 1 });
  expect(countHosts(rows, '1.39.0')).toEqual({ have: 0, use: 0 });
});
