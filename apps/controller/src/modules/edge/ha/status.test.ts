import { describe, expect, it } from 'vitest';
import { deriveAlarms } from './alarms.ts';
import type { PairState } from './model.ts';
import { deriveStatus } from './status.ts';
import { ago, NOW, pair } from './testing/pairs.ts';
import { path, vip } from './testing/reports.ts';

const shop = { id: 's', name: 'shop', clientIds: ['client-0'], addresses: [] };
const served = { services: [{ ...shop, clientIds: ['client-0', 'client-1'], addresses: ['192.0.2.100'] }] };
const work = {
  service_id: 's',
  service: 'shop',
  client_id: 'client-1',
  client: 'b',
  op: 'deploy' as const,
  since: NOW.toISOString(),
  attempts: 0,
};
const pendingWork = { pending: [work] };
const error = { code: 'x', level: 'error' as const, message: 'it burns' };
const homeless = { ...error, code: 'no_interface', message: 'nowhere' };
const warning = { ...error, level: 'warn' as const };

describe('the status of a pair', () => {
  it.each([
    ['live', 'both report and the preferred member is active', pair(), undefined],
    ['live', 'a member warns', pair({ report: { alarms: [warning] } }), undefined],
    ['awaiting_peer', 'there is one member, which serves', pair({}, null), undefined],
    ['awaiting_peer', 'the only member does not report', pair({ report: null }, null), 'a does not report'],
    ['awaiting_peer', 'the only member is not active', pair({ report: { role: 'fenced' } }, null), 'a is fenced'],
    [
      'awaiting_peer',
      'the daemon of the only member is gone',
      pair({ report: { daemon: 'absent' } }, null),
      'a is without its daemon',
    ],
    ['unknown', 'nobody has reported', pair({ report: null }, { report: null }), 'no member reports'],
    ['unknown', 'all reports are old', pair({ reportedAt: ago(16) }, { reportedAt: ago(16) }), 'no member reports'],
    ['unknown', 'nobody is connected', pair({ connected: false }, { connected: false }), 'no member reports'],
    ['split_brain', 'both are active', pair({}, { report: { role: 'active' } }), 'a and b are both active'],
    [
      'split_brain',
      'both have an address',
      pair({ report: { vips: [vip({ held: true })] } }, { report: { vips: [vip({ held: true })] } }),
      'both members have 192.0.2.100',
    ],
    [
      'split_brain',
      'a third host has an address',
      pair({ report: { vips: [vip({ holder: 'conflict' })] } }),
      'more than one host has 192.0.2.100',
    ],
    ['handing_over', 'a member hands over', pair({ report: { role: 'demoting' } }), 'a hands over'],
    [
      'handing_over',
      'a hand-over was ordered',
      pair({}, {}, { handoverUntil: new Date(NOW.getTime() + 1) }),
      'a hand-over was ordered',
    ],
    ['no_active', 'both stand by', pair({ report: { role: 'standby' } }), 'a is standby, b is standby'],
    [
      'no_active',
      'the daemon of the active member is gone',
      pair({ report: { daemon: 'absent' } }),
      'a is without its daemon, b is standby',
    ],
    [
      'config_pending',
      'a member has not applied the revision',
      pair({}, {}, { configRev: 2 }),
      'a and b have not applied revision 2 yet',
    ],
    [
      'config_pending',
      'one member has not',
      pair({ report: { config_rev_applied: 2 } }, {}, { configRev: 2 }),
      'b has not applied revision 2 yet',
    ],
    [
      'config_pending',
      'a member does not know an address of a service yet',
      pair({ report: { vips: [vip()] } }, {}, served),
      'b does not know the address 192.0.2.100 yet',
    ],
    [
      'live',
      'both members know all addresses',
      pair({ report: { vips: [vip()] } }, { report: { vips: [vip()] } }, served),
      undefined,
    ],
    [
      'degraded',
      'an address has no place on a member',
      pair({ report: { vips: [vip()] } }, { report: { alarms: [homeless] } }, served),
      'b: nowhere',
    ],
    ['syncing', 'a member owes work', pair({}, {}, pendingWork), '1 change of a service is not on both members yet'],
    ['degraded', 'a member is not connected', pair({}, { connected: false }), 'b is not connected'],
    ['degraded', 'a member does not report any more', pair({}, { reportedAt: ago(16) }), 'b does not report'],
    ['degraded', 'a daemon is stale', pair({}, { report: { daemon: 'stale' } }), 'the daemon of b is stale'],
    [
      'degraded',
      'a daemon refuses its configuration',
      pair({}, { report: { daemon: 'misconfigured' } }),
      'the daemon of b is misconfigured',
    ],
    ['degraded', 'the peer is not heard', pair({}, { report: { peer_ok: false } }), 'b does not hear its peer'],
    [
      'degraded',
      'a path is down',
      pair({}, { report: { paths: [path('data'), path('mgmt', false)] } }),
      'b does not hear its peer on mgmt',
    ],
    [
      'degraded',
      'the services of the peer are down',
      pair({ report: { peer_dataplane: 'down' } }),
      'a sees that the services of its peer are not ready',
    ],
    [
      'degraded',
      'a service of a member is not ready, of which its peer knows nothing yet',
      pair({ report: { vips: [vip({ held: true, holder: 'self' })] } }, { report: { vips: [vip({ ready: false })] } }),
      'the services of b are not ready',
    ],
    [
      'degraded',
      'a member is in maintenance',
      pair({}, { report: { role: 'maintenance', maintenance: true } }),
      'b is in maintenance',
    ],
    ['degraded', 'a member is fenced', pair({}, { report: { role: 'fenced' } }), 'b has given its addresses up'],
    [
      'degraded',
      'no target answers',
      pair({}, { report: { gateway_reachable: false } }),
      'b reaches none of its targets',
    ],
    ['degraded', 'a member reports an error', pair({}, { report: { alarms: [error] } }), 'b: it burns'],
    [
      'failed_over',
      'the other member serves',
      pair({ report: { role: 'standby' } }, { report: { role: 'active' } }),
      'b serves instead of a',
    ],
  ] as const)('is %s if %s', (status, _, state, reason) => {
    expect(deriveStatus(state, NOW)).toEqual({ status, reason });
  });

  it('is live without targets, although none of them answers', () => {
    expect(deriveStatus(pair({ report: { gateway_reachable: false, fencing_enabled: false } }), NOW).status).toBe(
      'live',
    );
  });

  /** Each state also has every trouble of the states after it. */
  it.each([
    ['awaiting_peer', pair({ report: null }, null, { configRev: 9, ...pendingWork })],
    [
      'unknown',
      pair(
        { connected: false },
        { reportedAt: ago(99) },
        { configRev: 9, ...pendingWork, handoverUntil: new Date(NOW.getTime() + 9) },
      ),
    ],
    [
      'split_brain',
      pair(
        {},
        { report: { role: 'active', alarms: [error] } },
        { configRev: 9, ...pendingWork, handoverUntil: new Date(NOW.getTime() + 9) },
      ),
    ],
    ['handing_over', pair({ report: { role: 'demoting', alarms: [error] } }, {}, { configRev: 9, ...pendingWork })],
    ['no_active', pair({ report: { role: 'standby', alarms: [error] } }, {}, { configRev: 9, ...pendingWork })],
    ['config_pending', pair({}, { report: { alarms: [error] } }, { configRev: 9, ...pendingWork })],
    ['syncing', pair({ report: { role: 'standby' } }, { report: { role: 'active', alarms: [error] } }, pendingWork)],
    ['degraded', pair({ report: { role: 'standby' } }, { report: { role: 'active', alarms: [error] } })],
  ] as const)('%s comes before the others', (status, state) => {
    expect(deriveStatus(state, NOW).status).toBe(status);
  });

  it('counts a report as long as three of its periods', () => {
    expect(deriveStatus(pair({ reportedAt: ago(15) }, { reportedAt: ago(15) }), NOW).status).toBe('live');
    expect(deriveStatus(pair({ reportedAt: ago(15.001) }, {}), NOW).status).toBe('degraded');
  });
});

describe('the alarms of a pair', () => {
  const codesOf = (state: PairState) => deriveAlarms(state, NOW).map(({ code }) => code);

  it('do not exist if all is well', () => {
    expect(codesOf(pair())).toEqual([]);
  });

  it('contain those of members that report, with the member', () => {
    expect(deriveAlarms(pair({}, { report: { alarms: [warning] } }), NOW)).toEqual([
      { ...warning, client_id: 'client-1' },
    ]);
    expect(codesOf(pair({}, { report: { alarms: [warning] }, reportedAt: ago(99) }))).toEqual([]);
  });

  it.each([
    ['split_brain', pair({}, { report: { role: 'active' } })],
    ['stale_epoch', pair({}, {}, { highestEpoch: 2 })],
    ['config_stale', pair({ report: { config_rev_applied: 2 } }, {}, { configRev: 2, updatedAt: ago(31) })],
    ['secret_rotating', pair({}, {}, { rotation: 'accept' })],
    ['version_mismatch', pair({}, { report: { daemon_version: '0.2.0' } })],
    ['service_missing', pair({}, {}, { services: [shop] })],
  ] as const)('say %s', (code, state) => {
    expect(codesOf(state)).toEqual([code]);
  });

  it.each([
    [
      'a member with an old epoch that only stands by',
      pair({ report: { epoch: 2 } }, { report: { epoch: 1 } }, { highestEpoch: 2 }),
    ],
    ['a new revision that members still apply', pair({}, {}, { configRev: 2, updatedAt: ago(29) })],
    ['a service that is on its way', pair({}, {}, { services: [shop], ...pendingWork })],
    ['a service of a single member', pair({}, null, { services: [shop] })],
  ] as const)('say nothing about %s', (_, state) => {
    expect(codesOf(state)).toEqual([]);
  });
});
