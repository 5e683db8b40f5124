import { expect, it } from 'vitest';
import { errorOf, nodeOf, resourceOf } from '../testing/detail.ts';
import { deriveTroubles } from './troubles.ts';

const neverSeen = () => null;
const refused = resourceOf({ state: 'refused', reason: 'no such thing' });

it('a healthy service has no troubles, and clients without a deployment cause none', () => {
  expect(
    deriveTroubles(
      { nodes: [nodeOf(), nodeOf({ client_id: 'b', deployed: false, connected: false })], errors: [] },
      neverSeen,
    ),
  ).toEqual([]);
});

it('the same error on many nodes is one trouble with all their clients', () => {
  const nodes = [nodeOf({ client_id: 'a' }, [refused]), nodeOf({ client_id: 'b' }, [refused])];
  expect(deriveTroubles({ nodes, errors: [] }, neverSeen)).toMatchObject([
    { clients: ['a', 'b'], detail: 'no such thing' },
  ]);
});

it('a refusal that is recorded as an error is listed once', () => {
  const found = deriveTroubles({ nodes: [nodeOf({}, [refused])], errors: [errorOf()] }, neverSeen);
  expect(found).toMatchObject([{ tab: 'errors', clients: ['client-a'] }]);
});

it('resolved errors are omitted', () => {
  expect(deriveTroubles({ nodes: [nodeOf()], errors: [errorOf({ status: 'resolved' })] }, neverSeen)).toEqual([]);
});

it('failures come before delays and withheld resources', () => {
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

it('a lost connection is a warning with the time of the loss, and hides the earlier state of the client (screen bug 5)', () => {
  const lost = nodeOf({ connected: false, phase: 'failed', error: 'x', state_since: '2026-01-02T09:00:00.000Z' });
  expect(deriveTroubles({ nodes: [lost], errors: [] }, neverSeen)).toMatchObject([
    { id: 'unreachable', tone: 'warn', since: '2026-01-02T09:00:00.000Z' },
  ]);
});

it('a trouble leads to the object to change, not to the resource that the error names (screen bug 4)', () => {
  const fixAt = { kind: 'service_clients', service_id: 'service-1', client_id: 'client-a' } as const;
  const found = deriveTroubles({ nodes: [nodeOf()], errors: [errorOf({ fix_at: fixAt })] }, neverSeen);
  expect(found).toMatchObject([{ fixAt }]);
});

it('a failed change that is recorded as an error is listed once', () => {
  const node = nodeOf({ error: 'no such release:\n  tried all', applied_generation: 1 });
  const recorded = errorOf({ client_id: node.client_id, message: 'It does not run: no such release: tried all' });
  expect(deriveTroubles({ nodes: [node], errors: [recorded] }, neverSeen)).toMatchObject([{ tab: 'errors' }]);
  const other = errorOf({ client_id: 'another', message: recorded.message });
  expect(deriveTroubles({ nodes: [node], errors: [other] }, neverSeen)).toHaveLength(2);
});

it('an unhealthy upstream is a warning that names the cluster and the endpoint, for all its clients (screen bug 2)', () => {
  const reason = {
    code: 'unhealthy_upstream' as const,
    message: 'Cluster "web": 1 of 1 endpoints is unhealthy',
    client_id: 'a',
    name: 'web',
    endpoints: ['127.0.0.1:9000'],
  };
  const nodes = ['a', 'b'].map((client_id) => nodeOf({ client_id, state: 'degraded', reasons: [reason] }));
  expect(deriveTroubles({ nodes, errors: [] }, neverSeen)).toMatchObject([
    { tone: 'warn', title: reason.message, detail: '127.0.0.1:9000', clients: ['a', 'b'], tab: 'traffic' },
  ]);
});

it('a listener that does not serve is bad, and reasons that are also errors are listed once (screen bug 3)', () => {
  const common = { client_id: 'a', name: 'web', endpoints: [] };
  const reasons = [
    { ...common, code: 'listener_not_serving' as const, message: 'Listener "web" accepts no connections' },
    { ...common, code: 'configuration_error' as const, message: 'clusters/x is missing' },
  ];
  const found = deriveTroubles({ nodes: [nodeOf({ state: 'failed', reasons })], errors: [] }, neverSeen);
  expect(found).toMatchObject([{ tone: 'bad', title: 'Listener "web" accepts no connections', tab: 'nodes' }]);
});
