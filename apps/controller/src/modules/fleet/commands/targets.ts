import { type CommandBody, fail, failFleet, type Role, rolesOfCommand } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { failPermission, findReach, listReached, type Reader } from '../../../platform/auth/index.ts';
import type { Actor, KnownActor } from '../../../platform/http/actor.ts';
import type { RefusedTarget } from '../../../platform/http/refused-target.ts';
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

/** A requested client; `client` is undefined if the caller cannot see one with this id. */
export interface RequestedTarget {
  readonly clientId: string;
  readonly client: KnownClient | undefined;
  /** undefined: not given. */
  readonly addresses: readonly string[] | undefined;
}

/** A command whose caller is authorised, with its targets. */
export interface Located {
  /** undefined: the caller can see none of the clients, so there is nothing to do. */
  readonly project: (CallerRights & { readonly id: string }) | undefined;
  readonly service: NamedService | undefined;
  readonly targets: readonly RequestedTarget[];
}

/** The caller's role in a project and, if the project restricts access, the member whose permissions apply. */
export interface CallerRights {
  readonly role: Role;
  readonly reader?: string | undefined;
}

export type RightsFinder = (actor: KnownActor, projectId: string) => Promise<CallerRights | undefined>;

/**
 * Finds the project, the service and the clients of a command, and checks the caller's role before revealing anything
 * about them. The project is the named one, or that of the service or clients. Clients of projects without the caller
 * look like ones that never existed.
 */
export async function locate(
  db: Db,
  request: {
    readonly actor: Actor;
    readonly findRights: RightsFinder;
    readonly rule: CommandRule;
    readonly body: CommandBody;
    readonly parsed: ParsedBody;
    readonly project: string | undefined;
    readonly version: string | undefined;
    /** Receives the project before the refusal is thrown: the audit entry names it, the answer does not. */
    readonly noteRefusal: (target: RefusedTarget) => void;
  },
): Promise<Located> {
  const { parsed, rule, body } = request;
  const clientIds = [...new Set(body.clients.map(({ client_id }) => client_id.toLowerCase()))];
  const project = await findProject(db, request, clientIds);
  if (project && !rolesOfCommand(rule).includes(project.role)) {
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
  const { actor, findRights, parsed } = request;
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
    const rights = await findRights(actor, named);
    if (rights === undefined) {
      request.noteRefusal({ projectId: named });
      throw fail('project.forbidden');
    }
    return { id: named, ...rights };
  }
  const candidates = await listProjectsOf(db, { serviceId: parsed.serviceId, clientIds });
  const member: Array<CallerRights & { id: string }> = [];
  for (const id of candidates) {
    const rights = await findRights(actor, id);
    if (rights !== undefined) member.push({ id, ...rights });
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

/** Throws permission.missing, or record.not_found if the member may not even see the service. */
async function requireService(
  db: Db,
  reader: Reader,
  { rule, service, parsed }: Reached & { readonly parsed: ParsedBody },
): Promise<void> {
  // The client may have services that the member cannot see.
  if (!service && rule.service === 'each') throw failFleet('service.ambiguous');
  if (!service) return;
  const level = rule.kind === 'query' ? 'view' : 'change';
  const reach = await findReach(db, reader, { kind: 'service', key: { id: service.id }, level });
  if (reach === 'visible') throw failPermission({ kind: 'service', level });
  if (!reach) throw fail('record.not_found', { kind: 'service', name: parsed.serviceName ?? parsed.serviceId });
}

/**
 * The clients that the member may access for the command, including those visible on the service and those usable for a
 * new deployment.
 */
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
