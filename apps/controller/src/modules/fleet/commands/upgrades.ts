import { failFleet } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import { findListenerPorts, type ServiceRegistry } from '../services/index.ts';
import type { ParsedBody } from './bodies.ts';
import type { Finding } from './model.ts';
import type { CommandRule } from './table.ts';
import type { KnownClient, NamedService } from './target-store.ts';
import type { RequestedTarget } from './targets.ts';
import {
  findReturning,
  isNewestVersion,
  listTargetVersions,
  type OpenUpgrade,
  type TargetVersion,
} from './upgrade-store.ts';

/** The part of an UPGRADE_LISTENER body that the controller reads. */
interface UpgradeBody {
  readonly from: string;
  readonly to: string;
  readonly port: number | undefined;
  readonly drainTimeS: number | undefined;
}

export function readUpgrade({ payload }: ParsedBody): UpgradeBody {
  const { from_version, to_version, port, drain_time_seconds } = payload;
  return {
    from: String(from_version),
    to: String(to_version),
    port: typeof port === 'number' ? port : undefined,
    drainTimeS: typeof drain_time_seconds === 'number' ? drain_time_seconds : undefined,
  };
}

interface CheckedUpgrade {
  readonly rule: CommandRule;
  readonly parsed: ParsedBody;
  readonly service: NamedService | undefined;
  readonly targets: readonly RequestedTarget[];
}

/**
 * Throws version.unknown, version.unprepared, or command.invalid for a port that no listener of the service has. An upgrade may
 * leave a version that is not known here.
 */
export async function checkUpgrade(
  db: Db,
  { rule, parsed, service, targets }: CheckedUpgrade,
  requireKnown: (version: string) => Promise<void>,
): Promise<void> {
  if (rule.type !== 'UPGRADE_LISTENER' || !service) return;
  const { to, port } = readUpgrade(parsed);
  await requireKnown(to);
  if (port === undefined) return;
  const clientIds = targets.flatMap(({ client }) => client?.id ?? []);
  const ports = await findListenerPorts(db, { serviceId: service.id, clientIds });
  // Unknown for a service whose listeners are all in its bootstrap; the agent checks those.
  if (ports.length === 0 || ports.includes(port)) return;
  const message = `no listener of service ${service.name} uses port ${port}; they use ${ports.slice(0, 20).join(', ')}`;
  throw failFleet(
    'command.invalid',
    { reason: `command.port: ${message}` },
    { details: [{ path: 'command.port', rule: 'exists', message }] },
  );
}

interface UpgradeTargets {
  readonly parsed: ParsedBody;
  readonly service: NamedService;
  readonly clients: readonly KnownClient[];
}

/** The error of each client that runs a third version, and what the command tells each of the others. */
export interface PlannedUpgrades {
  readonly refusals: ReadonlyMap<string, AppError>;
  readonly payloads: ReadonlyMap<string, Record<string, unknown>>;
}

export async function planUpgrades(tx: Tx, { parsed, service, clients }: UpgradeTargets): Promise<PlannedUpgrades> {
  const { from, to, drainTimeS } = readUpgrade(parsed);
  const clientIds = clients.map(({ id }) => id);
  const versions = await listTargetVersions(tx, { serviceId: service.id, clientIds, from, to });
  const refusals = new Map<string, AppError>();
  const payloads = new Map<string, Record<string, unknown>>();
  for (const { id, name } of clients) {
    const target = versions.get(id);
    if (!target) continue;
    const { wanted } = target;
    if (wanted === from || wanted === to) {
      const drain_time_seconds = drainTimeS ?? target.drainTimeS;
      payloads.set(id, { graceful: true, drain_time_seconds, returns: mustReturn(target, { from, to }) });
    } else {
      const running = target.running || 'no Envoy, as far as its agent has reported';
      refusals.set(id, failFleet('upgrade.other_version', { name, service: service.name, wanted, running, from, to }));
    }
  }
  return { refusals, payloads };
}

/** Whether a failure takes the client back to `from`. A client that has arrived before stays, whatever a repeated command finds. */
function mustReturn({ wanted, running, isUpgrading }: TargetVersion, { from, to }: Pick<UpgradeBody, 'from' | 'to'>) {
  return wanted === from || (isUpgrading && running !== to);
}

type Changes = Pick<ServiceRegistry, 'change' | 'lock'>;

/**
 * Locks the service of an upgrade that is about to fail. Call it before the command is written, in the order in which new
 * commands lock. undefined: nothing returns.
 */
export async function lockReturning(
  tx: Tx,
  services: Changes,
  {
    key,
    finding,
    now,
  }: { readonly key: { id: string; clientId: string }; readonly finding: Finding; readonly now: Date },
): Promise<OpenUpgrade | undefined> {
  if (finding.status !== 'failed' && finding.status !== 'refused') return undefined;
  const upgrade = await findReturning(tx, key);
  if (!upgrade) return undefined;
  await services.lock(tx, contextOf(upgrade, now), upgrade.serviceId);
  return upgrade;
}

/** Lets the client want the earlier version again, unless something newer has set another. True: it does now. */
export async function returnToFormer(tx: Tx, services: Changes, upgrade: OpenUpgrade, now: Date): Promise<boolean> {
  if (!(await isNewestVersion(tx, upgrade))) return false;
  const { serviceId, clientId, from } = upgrade;
  await services.change(tx, contextOf(upgrade, now), {
    serviceId,
    clientIds: [clientId],
    set: { envoy_version: from },
  });
  return true;
}

/** The finding with what has become of the client. */
export function describeReturn(finding: Finding, { from, to }: OpenUpgrade, isReturning: boolean): Finding {
  const result = typeof finding.result === 'object' && finding.result !== null ? finding.result : {};
  const then = isReturning
    ? `The client goes back to Envoy ${from}.`
    : `A newer command has set the version, so the client does not go back to Envoy ${from}.`;
  const reason = finding.errorMessage?.replace(/[.\s]+$/, '') || `Envoy ${to} does not run`;
  return { ...finding, errorMessage: `${reason}. ${then}`, result: { ...result, rolled_back: isReturning } };
}

function contextOf({ projectId }: OpenUpgrade, now: Date) {
  return { project: { id: projectId }, now, actor: { kind: 'system', id: null, name: 'controller' } as const };
}
