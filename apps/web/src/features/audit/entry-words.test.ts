import { expect, it } from 'vitest';
import { actionWords, actorName, entryWords, placeOf, policyRevisionOf } from './entry-words.ts';

it('reads actions and routes out as words', () => {
  expect(actionWords('enrolment_token.create')).toBe('enrolment token create');
  expect(actionWords('listAuditLog')).toBe('list audit log');
});

it('says of a gap how much is not there', () => {
  expect(entryWords({ action: 'audit.gap', changes: { dropped: 1200 } })).toBe('1,200 denials without entries');
  expect(entryWords({ action: 'audit.gap', changes: null })).toBe('audit gap');
  expect(entryWords({ action: 'policy.create', changes: { dropped: 1 } })).toBe('policy create');
});

it('names who did it, also where there is no name', () => {
  const nothing = { type: null, id: null, name: null };
  const anna = { kind: 'user', id: 'u', name: 'anna', role: null } as const;
  expect(actorName({ actor: anna, resource: nothing })).toBe('anna');
  const nobody = { kind: 'anonymous', id: null, name: null, role: null } as const;
  expect(actorName({ actor: nobody, resource: nothing })).toBe('somebody not signed in');
  const agent = { kind: 'client', id: 'c', name: 'c', role: null } as const;
  expect(actorName({ actor: agent, resource: { type: 'client', id: 'c', name: 'edge-1' } })).toBe('edge-1');
});

it('leads to the page of what was changed, unless it is gone or has none', () => {
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

it('knows the revision that a change of a policy made', () => {
  const resource = { type: 'policy', id: 'x', name: 'shop' };
  expect(policyRevisionOf({ resource, changes: { revision: 3, digest: {} } })).toBe(3);
  expect(policyRevisionOf({ resource, changes: { deleted: true } })).toBeUndefined();
  expect(policyRevisionOf({ resource: { ...resource, type: 'service' }, changes: { revision: 3 } })).toBeUndefined();
});
