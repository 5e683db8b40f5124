import type { HaAlarm } from '@flotilla/contract';
import { isActive, type PairState } from './model.ts';
import { findSplit, listFresh } from './status.ts';

/** How long a member may take to apply a revision before an alarm says so. */
const APPLY_MAX_MS = 30_000;

/** Those that the members report, and those that only the controller can see. */
export function deriveAlarms(pair: PairState, now: Date): HaAlarm[] {
  const fresh = listFresh(pair, now);
  const reported = fresh.flatMap(({ clientId, report }) =>
    report.alarms.map((alarm) => ({ ...alarm, client_id: clientId })),
  );
  const split = findSplit(fresh);
  return [
    ...(split === undefined ? [] : [{ code: 'split_brain', level: 'error' as const, message: split }]),
    ...listStaleEpochs(pair, fresh),
    ...listStaleConfigs(pair, now),
    ...listMissingServices(pair),
    ...listVersions(fresh),
    ...(pair.rotation === null ? [] : [ROTATING]),
    ...reported,
  ];
}

const ROTATING: HaAlarm = {
  code: 'secret_rotating',
  level: 'info',
  message: 'the key of the heartbeats is being replaced',
};

type Fresh = ReturnType<typeof listFresh>;

/** The member has lost its state, or does not hear the one that took over from it. */
function listStaleEpochs({ highestEpoch }: PairState, fresh: Fresh): HaAlarm[] {
  return fresh
    .filter((member) => isActive(member) && member.report.epoch < highestEpoch)
    .map(({ clientId, name, report }) => ({
      code: 'stale_epoch',
      level: 'error',
      message: `${name} is active in term ${report.epoch}, but term ${highestEpoch} has begun`,
      client_id: clientId,
    }));
}

function listStaleConfigs(pair: PairState, now: Date): HaAlarm[] {
  const isOverdue = now.getTime() - pair.updatedAt.getTime() > APPLY_MAX_MS;
  return pair.members
    .filter(({ connected, report }) => isOverdue && connected && (report?.config_rev_applied ?? 0) < pair.configRev)
    .map(({ clientId, name, report }) => ({
      code: 'config_stale',
      level: 'warn',
      message: `${name} has revision ${report?.config_rev_applied ?? 0} of ${pair.configRev}`,
      client_id: clientId,
      since: pair.updatedAt.toISOString(),
    }));
}

/** Work that is planned is no alarm: `sync.pending` has it. */
function listMissingServices({ members, services, pending }: PairState): HaAlarm[] {
  if (members.length < 2) return [];
  return members.flatMap(({ clientId, name }) => {
    const missing = services.filter(
      (service) =>
        !service.clientIds.includes(clientId) &&
        !pending.some((work) => work.client_id === clientId && work.service_id === service.id),
    );
    if (missing.length === 0) return [];
    const names = missing.map((service) => service.name).join(', ');
    return [
      {
        code: 'service_missing',
        level: 'warn' as const,
        message: `${name} does not have ${names}`,
        client_id: clientId,
      },
    ];
  });
}

function listVersions(fresh: Fresh): HaAlarm[] {
  const versions = new Set(fresh.map(({ report }) => report.daemon_version).filter((version) => version !== ''));
  if (versions.size < 2) return [];
  const each = fresh.map(({ name, report }) => `${name}: ${report.daemon_version}`).join(', ');
  return [{ code: 'version_mismatch', level: 'warn', message: `the members run different versions (${each})` }];
}
