import { expect, it } from 'vitest';
import { errorOf, nodeOf, resourceOf } from '../test-detail.ts';
import { deriveTroubles } from './troubles.ts';

const neverSeen = () => null;
const refused = resourceOf({ state: 'refused', reason: 'no such thing' });

it('finds nothing where all is well, and nothing of clients that are only listed', () => {
  expect(
    deriveTroubles(
      { nodes: [nodeOf(), nodeOf({ client_id: 'b', deployed: false, connected: false })], errors: [] },
      neverSeen,
    ),
  ).toEqual([]);
});

it('tells one complaint of many nodes once, with all their clients', () => {
  const nodes = [nodeOf({ client_id: 'a' }, [refused]), nodeOf({ client_id: 'b' }, [refused])];
  expect(deriveTroubles({ nodes, errors: [] }, neverSeen)).toMatchObject([
    { clients: ['a', 'b'], detail: 'no such thing' },
  ]);
});

it('does not tell a refusal again that is recorded as an error', () => {
  const found = deriveTroubles({ nodes: [nodeOf({}, [refused])], errors: [errorOf()] }, neverSeen);
  expect(found).toMatchObject([{ tab: 'errors', clients: ['client-a'] }]);
});

it('leaves out errors that are resolved', () => {
  expect(deriveTroubles({ nodes: [nodeOf()], errors: [errorOf({ status: 'resolved' })] }, neverSeen)).toEqual([]);
});

it('puts what is broken before what is only late or held back', () => {
  const held = resourceOf({ name: 'held', state: 'held', reason: 'waits for upstream' });
  const found = deriveTroubles(
    {
      nodes: [nodeOf({ client_id: 'late', applied_generation: 1 }), nodeOf({ client_id: 'b' }, [held, refused])],
      errors: [],
    },
    neverSeen,
  );
  expect(found.map(({ tone }) => tone)).toEqual(['bad', 'warn', 'warn']);
  expect(found[0]?.title).toContain('refused');
});

it('screen bug 5: warns of a lost connection, from when it was lost, not of what the client said before', () => {
  const lost = nodeOf({ connected: false, phase: 'failed', error: 'x', state_since: '2026-01-02T09:00:00.000Z' });
  expect(deriveTroubles({ nodes: [lost], errors: [] }, neverSeen)).toMatchObject([
    { id: 'unreachable', tone: 'warn', since: '2026-01-02T09:00:00.000Z' },
  ]);
});

it('screen bug 4: leads to the object to change, not to the resource that the error names', () => {
  const fixAt = { kind: 'service_clients', service_id: 'service-1', client_id: 'client-a' } as const;
  const found = deriveTroubles({ nodes: [nodeOf()], errors: [errorOf({ fix_at: fixAt })] }, neverSeen);
  expect(found).toMatchObject([{ fixAt }]);
});

it('does not tell a failed change again that is recorded as an error', () => {
  const node = nodeOf({ error: 'no such release:\n  tried all', applied_generation: 1 });
  const recorded = errorOf({ client_id: node.client_id, message: 'It does not run: no such release: tried all' });
  expect(deriveTroubles({ nodes: [node], errors: [recorded] }, neverSeen)).toMatchObject([{ tab: 'errors' }]);
  const other = errorOf({ client_id: 'another', message: recorded.message });
  expect(deriveTroubles({ nodes: [node], errors: [other] }, neverSeen)).toHaveLength(2);
});
