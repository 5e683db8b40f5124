import { failPublish, type ServiceRecord } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import { failPermission, listReached, type Reader } from '../../../platform/auth/index.ts';
import { findStoredDocuments, type Scope, type StoredDocument } from '../../configuration/public.ts';
import { findListenersAt, readService } from '../services/index.ts';
import { listFilterRefs, readListener } from './listener-facts.ts';
import { type ExistingRoutes, findPublished } from './plan.ts';
import { type PublishRequest, refuse } from './request.ts';
import { findServiceNamed, findServicesWith } from './store.ts';
import { serves } from './virtual-hosts.ts';

/** Where a request is published: a listener that exists or a new one, of a service that exists or a new one. */
export interface Target {
  readonly listener: string | undefined;
  readonly serviceId: string | undefined;
}

export interface Look {
  readonly db: Db;
  readonly scope: Scope;
  readonly reader: Reader | undefined;
}

/** A new listener that already serves the request counts as existing, so that publishing twice changes nothing. */
export async function findTarget(look: Look, request: PublishRequest): Promise<Target> {
  const { db, scope } = look;
  const { listener } = request;
  const [named] = await keepSeen(look, await listNamed(look, request));
  if (named && named.version !== scope.version) {
    const message = `is of Envoy ${named.version}, and the request is for ${scope.version}`;
    throw refuse([{ path: 'version', rule: 'same', message }]);
  }
  if ('existing' in listener) {
    const serviceId =
      named?.id ?? (request.service === undefined ? await chooseService(look, request, listener.existing) : undefined);
    return { listener: listener.existing, serviceId };
  }
  const clientIds = request.clients.map(({ client_id }) => client_id);
  for (const { listener: name, serviceId } of await findListenersAt(db, { clientIds, ...listener })) {
    if (named && named.id !== serviceId) continue;
    if ((await keepSeen(look, [{ id: serviceId }])).length === 0) continue;
    if (await isPublished(look, request, name)) return { listener: name, serviceId };
  }
  return { listener: undefined, serviceId: named?.id };
}

/** A listener that cannot take the request does not serve it: its port is in use, which the writes report. */
async function isPublished(look: Look, request: PublishRequest, listener: string): Promise<boolean> {
  try {
    return findPublished(request, await readRoutes(look, listener)).routed !== undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return false;
  }
}

async function listNamed({ db, scope }: Look, { service }: PublishRequest) {
  const found = service === undefined ? undefined : await findServiceNamed(db, scope.project, service);
  return found ? [found] : [];
}

/** Services that the member may see. The others do not exist for them. */
async function keepSeen<T extends { readonly id: string }>({ db, reader }: Look, services: readonly T[]): Promise<T[]> {
  const ids = services.map(({ id }) => id);
  const seen = reader && (await listReached(db, reader, { kind: 'service', ids, level: 'view' }));
  return services.filter(({ id }) => seen?.has(id) !== false);
}

/** The service that has the listener: on the requested clients if there are several. */
async function chooseService(look: Look, request: PublishRequest, listener: string): Promise<string | undefined> {
  const { db, scope } = look;
  const services = await keepSeen(look, await findServicesWith(db, scope, listener));
  const [only, ...others] = services;
  if (others.length === 0) return only?.id;
  const wanted = new Set(request.clients.map(({ client_id }) => client_id));
  const records = await Promise.all(
    services.map(({ id }) => readService(db, { projectId: scope.project, serviceId: id })),
  );
  const there = records.filter(({ clients }) => clients.some(({ client_id }) => wanted.has(client_id)));
  if (there.length === 1) return there[0]?.id;
  const names = (there.length > 0 ? there : records).map(({ name }) => name).join(', ');
  throw failPublish('publish.service_ambiguous', { listener, services: names });
}

/** Throws permission.missing if a virtual host that the member may not see serves one of the hosts. */
export async function requireFreeHosts(
  { db, scope, reader }: Look,
  request: PublishRequest,
  routes: string,
): Promise<void> {
  if (!reader) return;
  const all = await findStoredDocuments(db, scope, { hostsOf: routes, reader: undefined });
  const seen = new Set((await findStoredDocuments(db, scope, { hostsOf: routes, reader })).map(({ name }) => name));
  const hidden = all.filter(({ name }) => !seen.has(name));
  if (hidden.some(({ resource }) => request.hosts.some((host) => serves(resource, host))))
    throw failPermission({ kind: 'document', level: 'change' });
}

/** The listener with its routes. Throws publish.listener_unsuitable or publish.invalid. */
export async function readRoutes({ db, scope, reader }: Look, name: string): Promise<ExistingRoutes> {
  const find = (keys: Parameters<typeof findStoredDocuments>[2]['keys'], hostsOf?: string) =>
    findStoredDocuments(db, scope, { keys: keys ?? [], reader, ...(hostsOf !== undefined && { hostsOf }) });
  const [listener] = await find([{ collection: 'listeners', name }]);
  if (!listener) {
    const message = `there is no listener ${name} for Envoy ${scope.version}`;
    throw refuse([{ path: 'listener.existing', rule: 'exists', message }]);
  }
  const refs = listFilterRefs(listener).map((ref) => ({ collection: 'filters', name: ref }) as const);
  const facts = readListener(listener, refs.length > 0 ? await find(refs) : []);
  const rows = await find([{ collection: 'routes', name: facts.routes }], facts.routes);
  const routes = rows.find(({ collection }) => collection === 'routes');
  if (!routes) {
    const reason = `there is no route configuration ${facts.routes}`;
    throw failPublish('publish.listener_unsuitable', { listener: name, reason });
  }
  return { listener: facts, routes, hosts: rows.filter(({ collection }) => collection === 'virtual_hosts') };
}

export async function findCluster(
  { db, scope, reader }: Look,
  name: string | null | undefined,
): Promise<StoredDocument | undefined> {
  if (!name) return undefined;
  const [cluster] = await findStoredDocuments(db, scope, { keys: [{ collection: 'clusters', name }], reader });
  return cluster;
}

/** The deployed and running targets of a service need no command. */
export function needsDeploy(
  service: ServiceRecord,
  clientId: string,
  addresses: readonly string[] | undefined,
): boolean {
  const target = service.targets.find(({ client_id }) => client_id === clientId);
  const stored = service.clients.find(({ client_id }) => client_id === clientId)?.addresses ?? [];
  const moves = addresses !== undefined && addresses.join() !== stored.join();
  return !target?.deployed || target.run_state !== 'running' || moves;
}
