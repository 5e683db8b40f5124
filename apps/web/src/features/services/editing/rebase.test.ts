import { expect, it } from 'vitest';
import { EMPTY_DRAFT } from './draft.ts';
import { rebase } from './rebase.ts';

const base = {
  ...EMPTY_DRAFT,
  name: 'edge',
  version: '1.39.3',
  bootstrap: 'plain',
  listeners: ['a', 'b'],
  clients: [{ client_id: 'one', addresses: ['192.0.2.1'] }],
};

it('changes of different fields are combined', () => {
  const { draft, conflicts } = rebase(base, { ...base, bootstrap: 'mine' }, { ...base, version: '1.40.0' });
  expect(draft).toEqual({ ...base, bootstrap: 'mine', version: '1.40.0' });
  expect(conflicts).toEqual([]);
});

it("the user's value stays if both changed the same field, and the field is a conflict", () => {
  const { draft, conflicts } = rebase(base, { ...base, bootstrap: 'mine' }, { ...base, bootstrap: 'theirs' });
  expect(draft.bootstrap).toBe('mine');
  expect(conflicts).toEqual(['bootstrap']);
});

it('equal changes of the same field are no conflict', () => {
  expect(rebase(base, { ...base, bootstrap: 'x' }, { ...base, bootstrap: 'x' }).conflicts).toEqual([]);
});

it('additions to a list and removals from it are combined', () => {
  const { draft } = rebase(base, { ...base, listeners: ['b', 'mine'] }, { ...base, listeners: ['a', 'b', 'theirs'] });
  expect(draft.listeners).toEqual(['b', 'theirs', 'mine']);
});

it('clients are merged one by one', () => {
  const mine = { ...base, clients: [{ client_id: 'one', addresses: ['192.0.2.9'] }] };
  const theirs = { ...base, clients: [...base.clients, { client_id: 'two', addresses: [] }] };
  expect(rebase(base, mine, theirs).draft.clients).toEqual([
    { client_id: 'one', addresses: ['192.0.2.9'] },
    { client_id: 'two', addresses: [] },
  ]);
});

it('a client that only the user added is kept with its addresses', () => {
  const mine = { ...base, clients: [...base.clients, { client_id: 'mine', addresses: ['192.0.2.7'] }] };
  expect(rebase(base, mine, base).draft.clients.at(-1)).toEqual({ client_id: 'mine', addresses: ['192.0.2.7'] });
});
