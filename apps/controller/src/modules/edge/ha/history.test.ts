import type { RoleChange } from '@flotilla/ha';
import { describe, expect, it } from 'vitest';
import { deriveHistory, type Records } from './history.ts';
import type { StoredChange, StoredTerm } from './history-store.ts';

const START = Date.parse('2026-01-01T12:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1000);

function change(clientId: string, role: RoleChange['role'], epoch: number, seconds: number): StoredChange {
  return {
    clientId,
    clientName: clientId,
    change: {
      at: at(seconds).toISOString(),
      from: 'standby',
      role,
      epoch,
      reason: 'peer_dead',
      peer_role: 'active',
      peer_epoch: epoch - 1,
      gateway_reachable: true,
      silent_ms: 1000,
    },
  };
}

function term(clientId: string, epoch: number, raised: number, released: number | null, skewMs = 0): StoredTerm {
  return { clientId, epoch, raisedAt: at(raised), releasedAt: released === null ? null : at(released), skewMs };
}

/** Member a serves first, then b takes over in term 2. */
function takeover(terms: readonly StoredTerm[], more: Partial<Records> = {}) {
  const changes = [change('b', 'active', 2, 10), change('a', 'active', 1, 0)];
  const records = { changes, terms, held: [], boundMs: 3000, offsets: new Map(), ...more };
  return deriveHistory(records).find(({ epoch, role }) => epoch === 2 && role === 'active');
}

describe('a take-over', () => {
  it.each([
    ['after a planned hand-over', [term('a', 1, 0, 10), term('b', 2, 10.2, null)], 200, 'kept'],
    ['with both holding for less than the bound', [term('a', 1, 0, 12), term('b', 2, 10, null)], -2000, 'kept'],
    ['with both holding for the bound', [term('a', 1, 0, 13), term('b', 2, 10, null)], -3000, 'kept'],
    ['with both holding for longer', [term('a', 1, 0, 13.001), term('b', 2, 10, null)], -3001, 'violated'],
    ['of a member whose clock is 5 s behind', [term('a', 1, 0, 15), term('b', 2, 10.1, null, 5000)], 100, 'kept'],
    ['of a member whose clock is 60 s ahead', [term('a', 1, 0, 10), term('b', 2, 74, null, -60_000)], 4000, 'kept'],
    [
      'from a member that does not know when it lost the addresses',
      [term('a', 1, 0, null), term('b', 2, 10, null)],
      null,
      'unknown',
    ],
    ['whose addresses were never raised', [term('a', 1, 0, 10)], null, 'unknown'],
  ] as const)('%s', (_, terms, gap, invariant) => {
    expect(takeover(terms)?.failover).toEqual({ from_client_id: 'a', gap_ms: gap, bound_ms: 3000, invariant });
  });

  it('is no take-over if nobody had the addresses before', () => {
    expect(takeover([term('b', 2, 10, null)])?.failover).toBeUndefined();
  });

  it('by the same member again counts, too', () => {
    const terms = [term('b', 1, 0, 9), term('b', 2, 10, null, 7000)];
    expect(takeover(terms)?.failover).toMatchObject({ from_client_id: 'b', gap_ms: 1000, invariant: 'kept' });
  });

  const open = [term('a', 1, 0, null), term('b', 2, 10, null)];
  const withNext = (seconds: number) => ({
    changes: [change('b', 'active', 2, 10), change('a', 'init', 1, seconds), change('a', 'active', 1, 0)],
  });

  it('from a killed member keeps the bound if that member had started again in time', () => {
    expect(takeover(open, withNext(12))?.failover).toMatchObject({ gap_ms: null, invariant: 'kept' });
    expect(takeover(open, withNext(14))?.failover).toMatchObject({ gap_ms: null, invariant: 'unknown' });
  });

  it('violates the bound if the earlier holder still says that it is active', () => {
    const held = (seconds: number) => [{ clientId: 'a', epoch: 1, at: at(seconds) }];
    expect(takeover(open, { held: held(15) })?.failover).toMatchObject({ gap_ms: null, invariant: 'violated' });
    expect(takeover(open, { held: held(11) })?.failover).toMatchObject({ gap_ms: null, invariant: 'unknown' });
  });

  it('is compared with the newest term before it', () => {
    const terms = [term('a', 1, 0, null), term('a', 1, 5, 10), term('b', 2, 10.5, null), term('a', 3, 20, null)];
    expect(takeover(terms)?.failover).toMatchObject({ gap_ms: 500, invariant: 'kept' });
  });
});

describe('the history', () => {
  const base = { held: [], boundMs: 3000 };

  it('flags a member that becomes active in a term that is over', () => {
    const changes = [change('a', 'active', 1, 30), change('b', 'active', 2, 10)];
    const terms = [term('b', 2, 10, null), term('a', 1, 30, null)];
    const [newest, before] = deriveHistory({ ...base, changes, terms, offsets: new Map() });
    expect(newest).toMatchObject({ client_id: 'a', stale_epoch: true });
    expect(before).toMatchObject({ client_id: 'b', stale_epoch: false });
  });

  it('does not flag a change that only arrived late', () => {
    const changes = [change('b', 'active', 2, 10), change('a', 'active', 1, 0)];
    const terms = [term('a', 1, 0, 9), term('b', 2, 10, null)];
    expect(deriveHistory({ ...base, changes, terms, offsets: new Map() }).map((one) => one.stale_epoch)).toEqual([
      false,
      false,
    ]);
  });

  it('has the times of the controller, in their order', () => {
    const changes = [change('a', 'standby', 1, 100), change('b', 'active', 2, 50)];
    const history = deriveHistory({
      ...base,
      changes,
      terms: [],
      offsets: new Map([
        ['a', -90_000],
        ['b', 400],
      ]),
    });
    expect(history.map(({ client_id: id, at: when }) => [id, when])).toEqual([
      ['b', at(50).toISOString()],
      ['a', at(10).toISOString()],
    ]);
  });
});
