import type { CallOutput, HA_DISABLED_REASONS, HaPair, HaRoleChange, haRoutes } from '@flotilla/contract';
import { age, type Columns, type Settled } from '../../output.ts';

/** Columns of the lists. */
export const PAIR_COLUMNS: Columns<Settled<HaPair>> = {
  name: 'name',
  status: 'status',
  members: (pair) => describeMembers(pair),
  services: 'service_count',
  pending: ({ sync }) => sync.pending.length,
  alarms: ({ alarms = [] }) => alarms.length,
  revision: 'config_rev',
  reason: ({ status_reason: reason }) => reason,
};

/** Such as `edge-1 (active), edge-2 (standby, offline)`. */
export function describeMembers({ members, members_ha: reports, connected, vacancy }: HaPair): string {
  const texts = members.map(({ client_id: id, name }) => {
    const states = [reports[id]?.role ?? 'no report', ...(connected[id] ? [] : ['offline'])];
    return `${name} (${states.join(', ')})`;
  });
  return [...texts, ...(vacancy ? ['vacant'] : [])].join(', ');
}

type Candidate = CallOutput<typeof haRoutes.eligible>['items'][number];

export const REASON_WORDS: Readonly<Record<(typeof HA_DISABLED_REASONS)[number], string>> = {
  not_appliance: 'is not an appliance',
  no_ha_address: 'has reported no usable IPv4 address',
  already_member: 'is a member of an HA pair',
  not_connected: 'is not connected',
  has_services: 'has services; the other member has some, too',
};

export const CANDIDATE_COLUMNS: Columns<Settled<Candidate>> = {
  client: 'name',
  connected: 'connected',
  services: 'service_count',
  data: ({ hb_addrs: { data } }) => data?.auto,
  network: ({ hb_addrs: { data } }) => data?.prefix,
  management: ({ hb_addrs: { mgmt } }) => mgmt?.auto,
  'can join': 'selectable',
  reason: ({ disabled_reason: reason }) => reason && REASON_WORDS[reason],
};

type PairService = CallOutput<typeof haRoutes.services>['items'][number];

export const SERVICE_COLUMNS: Columns<Settled<PairService>> = {
  service: 'service',
  version: 'version',
  addresses: ({ addresses }) => addresses.join(' '),
  holder: ({ holder, members }) => members.find(({ client_id: id }) => id === holder)?.client,
  healthy: 'healthy',
  draining: 'draining',
  members: ({ members }) => members.map((one) => `${one.client}: ${describeService(one)}`).join(', '),
};

function describeService({ deployed, phase, ready }: PairService['members'][number]): string {
  if (!deployed) return 'not deployed';
  return [phase ?? 'deployed', ready ? 'ready' : 'not ready'].join(', ');
}

export const HISTORY_COLUMNS: Columns<Settled<HaRoleChange>> = {
  age: age('at'),
  client: 'client',
  from: 'from',
  to: 'role',
  term: 'epoch',
  reason: 'reason',
  'silent ms': 'silent_ms',
  'gap ms': ({ failover }) => failover?.gap_ms,
  'bound ms': ({ failover }) => failover?.bound_ms,
  'one holder': ({ failover }) => failover?.invariant,
};
