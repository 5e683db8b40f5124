import { type CommandBody, fail, failFleet, type Role } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { Actor, KnownActor } from '../../http/actor.ts';
import type { RefusedTarget } from '../../http/denials.ts';
import { failPermission, findReach, listReached, type Reader } from '../permissions/index.ts';
import type { ParsedBody } from './bodies.ts';
import { type CommandRule, requireRole } from './table.ts';
import {
  findClients,
  findNamedService,
  type KnownClient,
  listClientsOfService,
  listProjectsOf,
  type NamedService,
} from './target-store.ts';

/** One client that was asked for; `client` is missing where the caller has none of this id. */
export interface RequestedTarget {
  readonly clientId: string;
  readonly client: KnownClient | undefined;
  /** Undefined: not given. */
  readonly addresses: readonly string[] | undefined;
}

/** A command whose caller may give it, and what it is for. */
export interface Located {
  /** Undefined: none of the clients is known to the caller, so there is nothing to do. */
  readonly project: (Standing & { readonly id: string }) | undefined;
  readonly service: NamedService | undefined;
  readonly targets: readonly RequestedTarget[];
}

/** The caller's role in a project, and the member whose permissions count there, where it lists what its members may reach. */
export interface Standing {
  readonly role: Role;
  readonly reader?: string | undefined;
}

export type StandingFinder = (actor: KnownActor, projectId: string) => Promise<Standing | undefined>;

/**
 * Finds the project, the service and the clients of a command, and checks the caller's role there before anything is told of
 * them. The project is the one that is named, else the one that the service or the clients belong to; clients of projects
 * that the caller is no member of are as unknown as those that never were.
 */
export async function locate(
  db: Db,
  request: {
    readonly actor: Actor;
    readonly findStanding: StandingFinder;
    readonly rule: CommandRule;
    readonly body: CommandBody;
    readonly parsed: ParsedBody;
    readonly project: string | undefined;
    readonly version: string | undefined;
    /** Told the project before the refusal is thrown: the audit record names it, the answer does not. */
    readonly noteRefusal: (target: RefusedTarget) => void;
  },
): Promise<Located> {
  const { parsed, rule, body } = request;
  const clientIds = [...new Set(body.clients.map(({ client_id }) => client_id.toLowerCase()))];
  const project = await findProject(db, request, clientIds);
  if (project && !rule.roles.includes(project.role)) {
    request.noteRefusal({ projectId: project.id, role: project.role });
    requireRole(rule, project.role);
  }
  if (!project) {
    if (clientIds.length === 0) throw nobody(parsed);
    return { project, service: undefined, targets: clientIds.map((clientId) => unknown(clientId)) };
  }
  const service = await findService(db, { ...request, projectId: project.id });
  if (!service && rule.service === 'required') throw failFleet('service.ambiguous');
  const reader = project.reader === undefined ? undefined : { projectId: project.id, userId: project.reader };
  if (reader) await requireService(db, reader, { rule, service, parsed });
  const wanted =
    clientIds.length > 0
      ? clientIds
      : await listClientsOfService(db, service?.id, { deployed: rule.type !== 'DEPLOY' });
  if (clientIds.length === 0 && !service) throw nobody(parsed);
  const known = await findClients(db, { projectId: project.id, ids: wanted });
  const reached = reader && (await listReachedClients(db, reader, { rule, service, ids: [...known.keys()] }));
  const addressesOf = new Map(
    body.clients.map(({ client_id, addresses, downstream_address }) => [
      client_id.toLowerCase(),
      addresses ?? (downstream_address === undefined ? undefined : [downstream_address]),
    ]),
  );
  const targets = wanted.map((clientId) => ({
    clientId,
    client: reached?.has(clientId) === false ? undefined : known.get(clientId),
    addresses: addressesOf.get(clientId),
  }));
  return { project, service, targets };
}

async function findProject(
  db: Db,
  request: Parameters<typeof locate>[1],
  clientIds: readonly string[],
): Promise<Located['project']> {
  const { actor, findStanding, parsed } = request;
  if (actor.kind === 'anonymous') throw fail('auth.missing');
  const named = request.project?.toLowerCase() ?? parsed.project;
  if (named !== undefined) {
    if (parsed.project !== undefined && parsed.project !== named) {
      const message = 'is not the project of the request';
      throw failFleet(
        'command.invalid',
        { reason: `command.project: ${message}` },
        { details: [{ path: 'command.project', rule: 'same', message }] },
      );
    }
    const standing = await findStanding(actor, named);
    if (standing === undefined) {
      request.noteRefusal({ projectId: named });
      throw fail('project.forbidden');
    }
    return { id: named, ...standing };
  }
  const candidates = await listProjectsOf(db, { serviceId: parsed.serviceId, clientIds });
  const member: Array<Standing & { id: string }> = [];
  for (const id of candidates) {
    const standing = await findStanding(actor, id);
    if (standing !== undefined) member.push({ id, ...standing });
  }
  if (member.length > 1) throw fail('project.missing', { where: 'query parameter' });
  const [foreign] = candidates;
  if (member.length === 0 && foreign !== undefined) request.noteRefusal({ projectId: foreign, hidden: true });
  return member[0];
}

async function findService(
  db: Db,
  { parsed, version, projectId }: { parsed: ParsedBody; version: string | undefined; projectId: string },
): Promise<NamedService | undefined> {
  const { serviceId, serviceName } = parsed;
  if (serviceId === undefined && serviceName === undefined) return undefined;
  const wantedVersion = parsed.serviceVersion ?? version;
  const service = await findNamedService(db, { projectId, serviceId, serviceName, version: wantedVersion });
  if (!service) throw fail('record.not_found', { kind: 'service', name: serviceName ?? serviceId });
  return service;
}

interface Reached {
  readonly rule: CommandRule;
  readonly service: NamedService | undefined;
}

/** Throws where the member may not do to the service what the command does; what they may not see is not there. */
async function requireService(
  db: Db,
  reader: Reader,
  { rule, service, parsed }: Reached & { readonly parsed: ParsedBody },
): Promise<void> {
  // Of all services of a client some may be out of sight.
  if (!service && rule.service === 'each') throw failFleet('service.ambiguous');
  if (!service) return;
  const level = rule.kind === 'query' ? 'view' : 'change';
  const reach = await findReach(db, reader, { kind: 'service', key: { id: service.id }, level });
  if (reach === 'visible') throw failPermission({ kind: 'service', level });
  if (!reach) throw fail('record.not_found', { kind: 'service', name: parsed.serviceName ?? parsed.serviceId });
}

/** Those of a service that the member may reach, and those that they may see, or for a new deployment use. */
async function listReachedClients(
  db: Db,
  reader: Reader,
  { rule, service, ids }: Reached & { readonly ids: readonly string[] },
): Promise<Set<string>> {
  const level = rule.type === 'DEPLOY' ? 'use' : 'view';
  const own = await listClientsOfService(db, service?.id, { deployed: false });
  return new Set([...own, ...(await listReached(db, reader, { kind: 'client', ids, level }))]);
}

function unknown(clientId: string): RequestedTarget {
  return { clientId, client: undefined, addresses: undefined };
}

function nobody(parsed: ParsedBody): Error {
  if (parsed.serviceId !== undefined) return fail('record.not_found', { kind: 'service', name: parsed.serviceId });
  const message = 'name at least one client, or a service whose clients are meant';
  return failFleet(
    'command.invalid',
    { reason: `clients: ${message}` },
    { details: [{ path: 'clients', rule: 'min', message }] },
  );
}
