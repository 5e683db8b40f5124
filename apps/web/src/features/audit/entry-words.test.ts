import { expect, it } from 'vitest';
import {
  actionWords,
  actorName,
  entryWords,
  placeOf,
  policyRevisionOf,
  resourceKind,
  resourceName,
} from './entry-words.ts';

const ID = '0199aaaa-bbbb-7ccc-8ddd-eeee12345678';
const nothing = { type: null, id: null, name: null };
const keep = (id: string) => id;

it('actions and routes are converted to words', () => {
  expect(actionWords('enrolment_token.create')).toBe('Create enrolment token');
  expect(actionWords('listAuditLog')).toBe('List audit log');
});

it('a resource has its name, the name of its client or the end of its ID, and a singleton its type', () => {
  const named = { type: 'backup', id: ID, name: 'before the move' };
  expect([resourceKind(named), resourceName(named, keep)]).toEqual(['backup', 'before the move']);
  const nameless = { type: 'backup', id: ID, name: null };
  expect([resourceKind(nameless), resourceName(nameless, keep)]).toEqual(['backup', '…12345678']);
  expect(resourceName({ type: 'client', id: ID, name: null }, () => 'edge-1')).toBe('edge-1');
  const only = { type: 'license', id: null, name: null };
  expect([resourceKind(only), resourceName(only, keep)]).toEqual(['', 'license']);
  expect(resourceName({ type: 'key', id: '12', name: null }, keep)).toBe('12');
});

it('a gap has the number of missing entries', () => {
  expect(entryWords({ action: 'audit.gap', changes: { dropped: 1200 }, resource: nothing })).toBe(
    '1,200 denied requests not listed individually',
  );
  expect(entryWords({ action: 'audit.gap', changes: null, resource: nothing })).toBe('Audit gap');
  expect(entryWords({ action: 'policy.create', changes: { dropped: 1 }, resource: nothing })).toBe('Create policy');
});

it('every entry has an actor, even without a name', () => {
  const anna = { kind: 'user', id: 'u', name: 'anna', role: null } as const;
  expect(actorName({ actor: anna, resource: nothing }, keep)).toBe('anna');
  const nobody = { kind: 'anonymous', id: null, name: null, role: null } as const;
  expect(actorName({ actor: nobody, resource: nothing }, keep)).toBe('anonymous');
  const agent = { kind: 'client', id: 'c', name: 'c', role: null } as const;
  expect(actorName({ actor: agent, resource: { type: 'client', id: 'c', name: 'edge-1' } }, keep)).toBe('edge-1');
  expect(actorName({ actor: { ...agent, id: ID, name: ID }, resource: nothing }, () => 'edge-2')).toBe('edge-2');
  expect(actorName({ actor: { ...agent, id: ID, name: ID }, resource: nothing }, keep)).toBe('…12345678');
});

it('an entry links to the page of its resource, unless it was deleted or has no page', () => {
  const policy = { type: 'policy', id: 'x', name: 'shop' };
  expect(placeOf({ action: 'policy.patch', resource: policy, changes: null }, 'p')).toEqual({
    to: '/p/$project/policies/$name',
    params: { project: 'p', name: 'shop' },
  });
  expect(placeOf({ action: 'policy.delete', resource: policy, changes: null }, 'p')).toBeUndefined();
  const cluster = { type: 'clusters', id: 'x', name: 'c' };
  expect(placeOf({ action: 'document.patch', resource: cluster, changes: { version: '1.39.3' } }, 'p')?.params).toEqual(
    {
      project: 'p',
      collection: 'clusters',
      version: '1.39.3',
      name: 'c',
    },
  );
  expect(placeOf({ action: 'document.patch', resource: cluster, changes: null }, 'p')).toBeUndefined();
});

it('a change of a policy has its revision', () => {
  const resource = { type: 'policy', id: 'x', name: 'shop' };
  expect(policyRevisionOf({ resource, changes: { revision: 3, digest: {} } })).toBe(3);
  expect(policyRevisionOf({ resource, changes: { deleted: true } })).toBeUndefined();
  expect(policyRevisionOf({ resource: { ...resource, type: 'service' }, changes: { revision: 3 } })).toBeUndefined();
});
