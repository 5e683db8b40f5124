import { type CommandBody, fail, failFleet, type Role } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { Actor, KnownActor } from '../../http/actor.ts';
import type { RefusedTarget } from '../../http/denials.ts';
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
  readonly project: { readonly id: string; readonly role: Role } | undefined;
  readonly service: NamedService | undefined;
  readonly targets: readonly RequestedTarget[];
}

export type RoleFinder = (actor: KnownActor, projectId: string) => Promise<Role | undefined>;

/**
 * Finds the project, the service and the clients of a command, and checks the caller's role there before anything is told of
 * them. The project is the one that is named, else the one that the service or the clients belong to; clients of projects
 * that the caller is no member of are as unknown as those that never were.
 */
export async function locate(
  db: Db,
  request: {
    readonly actor: Actor;
    readonly findRole: RoleFinder;
    readonly rule: CommandRule;
    readonly body: CommandBody;
    readonly parsed: ParsedBody;
    readonly project: string | undefined;
    readonly version: string | undefined;
    readonly now: Date;
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
  const wanted =
    clientIds.length > 0
      ? clientIds
      : await listClientsOfService(db, service?.id, { deployed: rule.type !== 'DEPLOY' });
  if (clientIds.length === 0 && !service) throw nobody(parsed);
  const known = await findClients(db, { projectId: project.id, ids: wanted, now: request.now });
  const addressesOf = new Map(
    body.clients.map(({ client_id, addresses, downstream_address }) => [
      client_id.toLowerCase(),
      addresses ?? (downstream_address === undefined ? undefined : [downstream_address]),
    ]),
  );
  const targets = wanted.map((clientId) => ({
    clientId,
    client: known.get(clientId),
    addresses: addressesOf.get(clientId),
  }));
  return { project, service, targets };
}

async function findProject(
  db: Db,
  request: Parameters<typeof locate>[1],
  clientIds: readonly string[],
): Promise<Located['project']> {
  const { actor, findRole, parsed } = request;
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
    const role = await findRole(actor, named);
    if (role === undefined) {
      request.noteRefusal({ projectId: named });
      throw fail('project.forbidden');
    }
    return { id: named, role };
  }
  const candidates = await listProjectsOf(db, { serviceId: parsed.serviceId, clientIds });
  const member: Array<{ id: string; role: Role }> = [];
  for (const id of candidates) {
    const role = await findRole(actor, id);
    if (role !== undefined) member.push({ id, role });
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
