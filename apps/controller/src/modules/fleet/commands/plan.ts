import { CAPABILITIES, type CommandResultRecord, failFleet } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { AppError, createId } from '@flotilla/kit';
import { actorName } from '../../../platform/http/context.ts';
import type { ForwarderConfigs } from '../log-forwarding/index.ts';
import type { ProjectContext, ServiceRegistry, TargetChange } from '../services/index.ts';
import type { ParsedBody } from './bodies.ts';
import type { ArchiveOffer } from './offers.ts';
import type { SealedPayloads } from './sealed-payloads.ts';
import { type CommandPattern, type NewCommand, supersede, supersedeOnHosts } from './store.ts';
import type { CommandRule } from './table.ts';
import {
  type KnownClient,
  listDeployed,
  listDeployedServices,
  listPresent,
  type NamedService,
} from './target-store.ts';
import type { RequestedTarget } from './targets.ts';
import { planUpgrades, readUpgrade } from './upgrades.ts';

/** The part of the service registry that commands use. */
export type ServiceChanges = Pick<ServiceRegistry, 'deploy' | 'undeploy' | 'change' | 'lock'>;

export interface PlanRequest {
  readonly rule: CommandRule;
  readonly parsed: ParsedBody;
  readonly service: NamedService | undefined;
  readonly targets: readonly RequestedTarget[];
  readonly services: ServiceChanges;
  /** By client, for commands that install something. */
  readonly offers?: ReadonlyMap<string, ArchiveOffer> | undefined;
  /** The configurations with secrets that commands set. */
  readonly configs: Pick<ForwarderConfigs, 'store'>;
  readonly payloads: Pick<SealedPayloads, 'seal'>;
  readonly ctx: ProjectContext;
}

/** The immediate result of one target, and the command created for it, if any. */
export interface Planned {
  readonly result: CommandResultRecord;
  readonly command?: NewCommand;
}

export interface Plan {
  readonly planned: readonly Planned[];
  /** Older commands that will not be sent any more. */
  readonly superseded: readonly string[];
}

type Target = RequestedTarget & { readonly client: KnownClient };

/**
 * Changes what the clients should run and creates their commands. A target that cannot be served gets its own failure;
 * the others continue.
 */
export async function planCommand(tx: Tx, request: PlanRequest): Promise<Plan> {
  const unknown = request.targets.filter((target) => target.client === undefined);
  const everyKnown = request.targets.filter((target): target is Target => target.client !== undefined);
  const planned: Planned[] = unknown.map((target) =>
    failed(target, failFleet('client.not_found', { id: target.clientId })),
  );
  const superseded: string[] = [];
  const lacks = (target: Target) => findLack(request.rule, target);
  planned.push(...everyKnown.flatMap((target) => lacks(target) ?? []));
  const known = everyKnown.filter((target) => lacks(target) === undefined);
  if (request.rule.service === 'each' || request.service) {
    for (const { service, targets } of await groupByService(tx, request, known)) {
      if (!service) planned.push(...targets.map((target) => failed(target, notDeployed('Any service'))));
      else {
        const group = await planForService(tx, request, { service, targets });
        planned.push(...group.planned);
        superseded.push(...group.superseded);
      }
    }
  } else {
    const group = await planForHosts(tx, request, known);
    planned.push(...group.planned);
    superseded.push(...group.superseded);
  }
  // In the order of the request.
  const order = new Map(request.targets.map((target, i) => [target.clientId, i]));
  planned.sort((a, b) => (order.get(a.result.client_id) ?? 0) - (order.get(b.result.client_id) ?? 0));
  return { planned, superseded };
}

/** The refusal of a client whose agent reports that the host lacks what the command needs. */
function findLack({ name: command, needs: capability }: CommandRule, target: Target): Planned | undefined {
  const { capabilities, name } = target.client;
  if (capability === 'nothing' || capabilities === undefined) return undefined;
  const reported = capabilities.find((one) => one.name === capability);
  if (reported?.available) return undefined;
  const install = reported?.detail || CAPABILITIES[capability].install;
  const error = failFleet('client.incapable', { name, command, capability, install });
  return { result: { ...identify(target, undefined), ...toEnd('refused', error) } };
}

interface ServiceGroup {
  readonly service: NamedService | undefined;
  readonly targets: readonly Target[];
}

/** The named service, or every service deployed to one of the clients, in lock order. */
async function groupByService(tx: Tx, request: PlanRequest, targets: readonly Target[]): Promise<ServiceGroup[]> {
  if (request.service) return [{ service: request.service, targets }];
  const rows = await listDeployedServices(tx, idsOf(targets));
  const groups = new Map<string, { service: NamedService; targets: Target[] }>();
  for (const row of rows) {
    const target = targets.find(({ clientId }) => clientId === row.client_id);
    if (!target) continue;
    const group = groups.get(row.id) ?? { service: { id: row.id, name: row.name }, targets: [] };
    group.targets.push(target);
    groups.set(row.id, group);
  }
  const served = new Set(rows.map((row) => row.client_id));
  const idle = targets.filter(({ clientId }) => !served.has(clientId));
  return [...groups.values(), ...(idle.length > 0 ? [{ service: undefined, targets: idle }] : [])];
}

async function planForService(
  tx: Tx,
  request: PlanRequest,
  { service, targets }: { service: NamedService; targets: readonly Target[] },
): Promise<Plan> {
  const { rule, ctx } = request;
  if (rule.kind !== 'desired') {
    const deployed = await listDeployed(tx, service.id, idsOf(targets));
    const planned = targets.map((target) =>
      deployed.has(target.clientId)
        ? issue(request, target, { service, generation: null })
        : failed(target, notDeployed(service.name), service),
    );
    return { planned, superseded: [] };
  }
  await request.services.lock(tx, ctx, service.id);
  const upgrades =
    rule.type === 'UPGRADE_LISTENER'
      ? await planUpgrades(tx, { parsed: request.parsed, service, clients: targets.map(({ client }) => client) })
      : undefined;
  const changed = targets.filter(({ clientId }) => !upgrades?.refusals.has(clientId));
  const generations = await applyDesired(tx, request, { service, targets: changed });
  const reached = targets.filter(({ clientId }) => generations.has(clientId));
  const superseded = await supersede(
    tx,
    { serviceId: service.id, clientIds: reached.map(({ clientId }) => clientId), patterns: listContradicted(rule) },
    ctx.now,
  );
  const planned = targets.map((target) => {
    const refusal = upgrades?.refusals.get(target.clientId);
    if (refusal) return { result: { ...identify(target, service), ...toEnd('refused', refusal) } };
    const generation = generations.get(target.clientId);
    return generation === undefined
      ? failed(target, notDeployed(service.name), service)
      : issue(withPayload(request, upgrades?.payloads.get(target.clientId)), target, { service, generation });
  });
  return { planned, superseded };
}

/** The request with what it has for one client only. */
function withPayload(request: PlanRequest, own: Readonly<Record<string, unknown>> | undefined): PlanRequest {
  const { parsed } = request;
  return own ? { ...request, parsed: { ...parsed, payload: { ...parsed.payload, ...own } } } : request;
}

/** A command without a service. */
async function planForHosts(tx: Tx, request: PlanRequest, targets: readonly Target[]): Promise<Plan> {
  const { rule, parsed, ctx } = request;
  const change = {
    name: rule.name,
    payload: parsed.payload,
    projectId: ctx.project.id,
    at: ctx.now,
    by: actorName(ctx),
  };
  const payloads = await request.configs.store(tx, { ...change, clientIds: idsOf(targets) });
  const planned = targets.map((target) => {
    const payload = payloads?.get(target.clientId);
    if (payload instanceof AppError) return failed(target, payload);
    const own = payload ? { ...request, parsed: { ...parsed, payload: { ...payload } } } : request;
    return issue(own, target, { service: undefined, generation: null });
  });
  const clientIds = planned.flatMap(({ command }) => (command ? [command.clientId] : []));
  return { planned, superseded: await supersedeOnHosts(tx, { clientIds, patterns: listContradicted(rule) }, ctx.now) };
}

async function applyDesired(
  tx: Tx,
  { rule, parsed, services, ctx }: PlanRequest,
  { service, targets }: { service: NamedService; targets: readonly Target[] },
): Promise<ReadonlyMap<string, number | 'next'>> {
  const clientIds = targets.map(({ clientId }) => clientId);
  const change = (set?: TargetChange['set']) =>
    services.change(tx, ctx, { serviceId: service.id, clientIds, ...(set && { set }) });
  switch (`${rule.type} ${rule.subType}`) {
    case 'DEPLOY ':
      if (targets.length === 0) return new Map();
      return services.deploy(
        tx,
        ctx,
        service.id,
        targets.map(({ clientId, addresses }) => ({ client_id: clientId, addresses })),
      );
    case 'UNDEPLOY ': {
      const present = await listPresent(tx, service.id, idsOf(targets));
      if (present.size > 0) await services.undeploy(tx, ctx, service.id, [...present]);
      return new Map([...present].map((clientId) => [clientId, 'next' as const]));
    }
    case 'SERVICE SUB_START':
      return change({ run_state: 'running' });
    case 'SERVICE SUB_STOP':
      return change({ run_state: 'stopped' });
    case 'DATAPLANE_VERSION ':
      return change({ envoy_version: parsed.hostVersion ?? '' });
    case 'UPGRADE_LISTENER ': {
      const { to, drainTimeS } = readUpgrade(parsed);
      return change({ envoy_version: to, ...(drainTimeS !== undefined && { drain_time_s: drainTimeS }) });
    }
    default:
      // UPDATE_BOOTSTRAP and UPDATE_SHIELD_CONFIG: build and send the current configuration again.
      return change();
  }
}

/** Older commands that `rule` makes obsolete. */
function listContradicted(rule: CommandRule): CommandPattern[] {
  const pattern = (type: string, subType = '', operation = '') => ({ type, subType, operation });
  switch (`${rule.type} ${rule.subType}`) {
    case 'UNDEPLOY ':
      return [pattern('')];
    case 'DEPLOY ':
      return [pattern('UNDEPLOY'), pattern('SERVICE', 'SUB_STOP')];
    case 'SERVICE SUB_START':
      return [pattern('SERVICE', 'SUB_STOP')];
    case 'SERVICE SUB_STOP':
      return [pattern('SERVICE', 'SUB_START')];
    case 'DATAPLANE_VERSION ':
    case 'UPGRADE_LISTENER ':
      return [pattern('DATAPLANE_VERSION', '', 'SET_VERSION'), pattern('UPGRADE_LISTENER')];
    case 'SYSLOG_FWD UPDATE_RSYSLOG_CONFIG':
      return ['UPDATE_RSYSLOG_CONFIG', 'SUB_START', 'SUB_STOP'].map((subType) => pattern(rule.type, subType));
    case 'SYSLOG_FWD SUB_START':
    case 'LOGSHIPPER SUB_START':
      return [pattern(rule.type, 'SUB_STOP')];
    case 'SYSLOG_FWD SUB_STOP':
    case 'LOGSHIPPER SUB_STOP':
      return [pattern(rule.type, 'SUB_START')];
    case 'LOGSHIPPER UPDATE_FILEBEAT_CONFIG':
      return ['UPDATE_FILEBEAT_CONFIG', 'SUB_START', 'SUB_STOP'].map((subType) => pattern(rule.type, subType));
    default:
      return [];
  }
}

function idsOf(targets: readonly Target[]): string[] {
  return targets.map(({ clientId }) => clientId);
}

function issue(
  { rule, parsed, offers, payloads, ctx }: PlanRequest,
  target: Target,
  { service, generation }: { service: NamedService | undefined; generation: number | 'next' | null },
): Planned {
  const { client } = target;
  if (!client.connected && rule.kind !== 'desired') {
    return failed(target, failFleet('client.offline', { name: client.name }), service);
  }
  const id = createId(ctx.now.getTime());
  const command: NewCommand = {
    id,
    projectId: ctx.project.id,
    clientId: client.id,
    clientName: client.name,
    serviceId: service?.id ?? null,
    type: rule.type,
    subType: rule.subType,
    kind: rule.kind,
    operation: rule.operation,
    generation,
    payload: payloads.seal({
      id,
      name: rule.name,
      payload: {
        ...parsed.payload,
        ...(service && { service: service.name }),
        ...(typeof generation === 'number' && { generation }),
        ...(offers?.has(client.id) && { archive: offers.get(client.id) }),
      },
    }),
    timeoutMs: rule.deadlineMs,
    deadlineAt: rule.kind === 'desired' ? null : new Date(ctx.now.getTime() + rule.deadlineMs),
    createdBy: actorName(ctx),
    now: ctx.now,
  };
  return {
    result: {
      ...identify(target, service),
      command_id: id,
      outcome: client.connected ? 'running' : 'pending',
      duration_ms: 0,
    },
    command,
  };
}

export function failed(target: RequestedTarget, error: AppError, service?: NamedService): Planned {
  return { result: { ...identify(target, service), ...toEnd('failed', error) } };
}

function toEnd(outcome: 'failed' | 'refused', { code, message }: AppError) {
  return { command_id: null, outcome, error: { code, message }, duration_ms: 0 };
}

function identify(target: RequestedTarget, service: NamedService | undefined) {
  return {
    client_id: target.clientId,
    client_name: target.client?.name ?? null,
    ...(service && { service_id: service.id, service_name: service.name }),
  };
}

function notDeployed(service: string): AppError {
  return failFleet('command.not_deployed', { service });
}
