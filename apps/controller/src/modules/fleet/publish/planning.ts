import { fail, type PublishResult, type ServiceRecord } from '@flotilla/contract';
import { CLIENT_ADDRESS, MESSAGE, toNormalForm } from '@flotilla/translate';
import { listReached } from '../../../platform/auth/index.ts';
import { type applyWithin, findTakenNames, type StoredDocument } from '../../configuration/public.ts';
import type { PlannedDocument } from './documents.ts';
import { listCandidates, nameAfter } from './names.ts';
import { findPublished, planNewListener, planOnListener } from './plan.ts';
import { type PublishRequest, refuse } from './request.ts';
import { findBootstrap, findClients } from './store.ts';
import { findCluster, type Look, readRoutes, requireFreeHosts } from './target.ts';
import { listInlineHosts } from './virtual-hosts.ts';

/** The API of every version that a request needs. */
export type Apis = Parameters<typeof applyWithin>[0]['apis'];

/** Created for a project without a bootstrap. */
export const NEW_BOOTSTRAP = { collection: 'bootstrap', name: 'main', resource: {}, revision: 0 } as const;

/** The listener and the documents that a request needs. */
export interface Plan {
  readonly listener: PublishResult['listener'];
  readonly documents: readonly PlannedDocument[];
  readonly bootstrap: string | undefined;
  readonly warnings: readonly string[];
}

/** Throws if the listener cannot take the request. The caller holds the lock of the documents. */
export async function planPublication(
  look: Look,
  request: PublishRequest,
  { listener, apis, before }: { listener: string | undefined; apis: Apis; before: ServiceRecord | undefined },
): Promise<Plan> {
  const isNew = before === undefined;
  const cluster = await chooseName(look, 'clusters', nameAfter(request.hosts[0], request.path));
  const bootstrap = isNew ? await findBootstrap(look.db, look.scope) : undefined;
  const more = isNew && bootstrap === undefined ? [NEW_BOOTSTRAP] : [];
  if (listener === undefined) {
    const planned = await planNew(look, request, cluster);
    return { ...planned, documents: [...more, ...planned.documents], bootstrap, warnings: [] };
  }
  const existing = await readRoutes(look, listener);
  await requireFreeHosts(look, request, existing.listener.routes);
  if (existing.listener.address === CLIENT_ADDRESS) requireAddresses(request, before);
  const { place, routed } = findPublished(request, existing);
  const free = { cluster, host: await chooseHostName(look, request, existing) };
  const api = apis.get(look.scope.version);
  const documents = planOnListener(request, existing, {
    free,
    cluster: await findCluster(look, routed),
    normalise: (resource) => (api ? toNormalForm(api, MESSAGE.cluster, resource) : resource),
  });
  const { name, address, port, tls } = existing.listener;
  const others = routed === undefined && place ? listOthers(place.host.domains, request.hosts) : [];
  const warnings =
    others.length > 0
      ? [`The path is then published for ${others.join(', ')}, too: one virtual host serves them.`]
      : [];
  return { listener: { name, address, port, tls }, documents: [...more, ...documents], bootstrap, warnings };
}

/** Throws publish.invalid for clients that do not exist or that the member may not use. */
export async function requireClients(
  look: Look,
  request: PublishRequest,
  before: ServiceRecord | undefined,
): Promise<void> {
  const { db, scope, reader } = look;
  if (request.clients.length === 0) {
    throw refuse([{ path: 'clients', rule: 'min', message: 'names no client, and the listener is not on any yet' }]);
  }
  const ids = request.clients.map(({ client_id }) => client_id);
  const known = await findClients(db, scope.project, ids);
  const own = new Set(before?.clients.map(({ client_id }) => client_id));
  const usable = reader && (await listReached(db, reader, { kind: 'client', ids, level: 'use' }));
  const problems = ids.flatMap((id, i) =>
    known.has(id) && (own.has(id) || usable?.has(id) !== false)
      ? []
      : [{ path: `clients[${i}].client_id`, rule: 'exists', message: `there is no client ${id} in this project` }],
  );
  if (problems.length > 0) throw refuse(problems);
}

/** A listener that binds to the addresses of its clients opens no port on a client without one. */
function requireAddresses({ clients }: PublishRequest, before: ServiceRecord | undefined): void {
  const stored = new Map(before?.clients.map((client) => [client.client_id, client.addresses]));
  const problems = clients.flatMap(({ client_id, addresses = stored.get(client_id) ?? [] }, i) =>
    addresses.length > 0
      ? []
      : [
          {
            path: `clients[${i}].addresses`,
            rule: 'required',
            message: 'is required, because the listener binds to the addresses of its clients',
          },
        ],
  );
  if (problems.length > 0) throw refuse(problems);
}

async function planNew(
  look: Look,
  request: PublishRequest,
  cluster: string,
): Promise<Pick<Plan, 'listener' | 'documents'>> {
  const { listener } = request;
  if ('existing' in listener) throw refuse([{ path: 'listener', rule: 'exists', message: 'does not exist' }]);
  const { address, port, certificate } = listener;
  const name =
    listener.name ?? (await chooseName(look, 'listeners', `${certificate === undefined ? 'http' : 'https'}-${port}`));
  if ((await findTakenNames(look.db, look.scope, { collection: 'listeners', names: [name] })).has(name))
    throw fail('record.exists', { kind: 'listener', name });
  if (address === CLIENT_ADDRESS) requireAddresses(request, undefined);
  const routes = await chooseName(look, 'routes', name);
  const documents = planNewListener(request, {
    listener: { name, address, port, routes, certificate },
    free: { cluster, host: request.hosts[0] },
  });
  return { listener: { name, address, port, tls: certificate !== undefined }, documents };
}

async function chooseName(
  { db, scope }: Look,
  collection: 'clusters' | 'listeners' | 'routes',
  wanted: string,
): Promise<string> {
  const names = listCandidates(wanted);
  const taken = await findTakenNames(db, scope, { collection, names });
  return names.find((name) => !taken.has(name)) ?? wanted;
}

/** Envoy wants one name per virtual host of a route configuration. */
async function chooseHostName(
  { db, scope }: Look,
  { hosts }: PublishRequest,
  { routes }: { routes: StoredDocument },
): Promise<string> {
  const names = listCandidates(hosts[0]);
  const full = names.map((name) => `${routes.name}/${name}`);
  const taken = await findTakenNames(db, scope, { collection: 'virtual_hosts', names: full });
  const inline = listInlineHosts(routes);
  return names.find((name) => !taken.has(`${routes.name}/${name}`) && !inline.includes(name)) ?? hosts[0];
}

function listOthers(domains: unknown, hosts: readonly string[]): string[] {
  const all = Array.isArray(domains) ? domains.map(String) : [];
  return all.filter((domain) => !hosts.some((host) => domain === host || domain.startsWith(`${host}:`)));
}
