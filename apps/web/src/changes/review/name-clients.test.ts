import { expect, it } from 'vitest';
import { commentClients, nameClients } from './name-clients.ts';

const nameOf = (id: string) => (id === 'a' ? 'machine-a' : id);

it('clients of a difference are shown by name, with their addresses', () => {
  const client = { client_id: 'a', addresses: ['192.0.2.1'] };
  expect(nameClients([{ path: 'clients[0]', change: 'added', after: client }], nameOf)).toEqual([
    { path: 'clients[0]', change: 'added', after: { client: 'machine-a', addresses: ['192.0.2.1'] } },
  ]);
  expect(nameClients([{ path: 'clients', change: 'removed', before: [client] }], nameOf)).toEqual([
    { path: 'clients', change: 'removed', before: [{ client: 'machine-a', addresses: ['192.0.2.1'] }] },
  ]);
});

it('a changed client ID is shown as the names before and after', () => {
  const diff = [{ path: 'clients[0].client_id', change: 'changed', before: 'a', after: 'gone' }] as const;
  expect(nameClients(diff, nameOf)).toEqual([{ ...diff[0], before: 'machine-a' }]);
});

it('equal texts of other fields stay as they are', () => {
  const diff = [{ path: 'name', change: 'changed', before: 'a', after: 'b' }] as const;
  expect(nameClients(diff, nameOf)).toEqual(diff);
});

it('the YAML of a service names its clients in comments', () => {
  expect(commentClients('name: a\nclients:\n  - client_id: a\n    addresses: []\n  - client_id: gone\n', nameOf)).toBe(
    'name: a\nclients:\n  - client_id: a # machine-a\n    addresses: []\n  - client_id: gone\n',
  );
});
