import type { UnpublishBody, UnpublishResult } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { readerOf } from '../../../platform/auth/index.ts';
import type { Reply, RequestContext, WriteOutcome } from '../../../platform/http/context.ts';
import { applyWithin, findReachedServices, lockDocuments, type StoredDocument } from '../../configuration/public.ts';
import type { PlannedDocument } from './documents.ts';
import type { Apis } from './planning.ts';
import { describeOthers, planRemoval, type RemovalRequest } from './removal.ts';
import { chooseVersion, type Found, failNotPublished, findPublication, readRemoval } from './removal-target.ts';
import { type PublishDeps, scopeOf } from './service.ts';
import { type EndedService, endServices } from './service-ends.ts';
import { findClients } from './store.ts';
import type { Look } from './target.ts';
import { findEmptyRoutes, findUnusedClusters } from './unused.ts';

interface Work {
  readonly ctx: RequestContext;
  readonly look: Look & { readonly db: Tx };
  readonly apis: Apis;
  readonly request: RemovalRequest;
  readonly listener: string | undefined;
}

type Applied = Awaited<ReturnType<typeof applyWithin>>;

interface Removed {
  readonly applied: readonly Applied[];
  readonly services: readonly EndedService[];
  readonly warnings: readonly string[];
}

/**
 * The reverse of publishing, in one transaction: virtual hosts and routes of the hosts, then what nothing uses any more of
 * what was published for them: listeners with their route configurations, services without listeners, and clusters.
 */
export class Unpublisher {
  readonly #deps: PublishDeps;

  constructor(deps: PublishDeps) {
    this.#deps = deps;
  }

  async unpublish(ctx: RequestContext, body: UnpublishBody): Promise<Reply> {
    const request = readRemoval(body);
    const version = body.version ?? (await chooseVersion(ctx.db, ctx.project.id, request));
    if (version === undefined) throw failNotPublished(request, 'no virtual host serves it');
    // Loaded before the transaction: the first use of a version may have to download its Envoy.
    const apis = new Map([[version, await this.#deps.documents.envoyApis.get(version)]]);
    return ctx.write(async (tx) => {
      const look = { db: tx, scope: { project: ctx.project.id, version }, reader: readerOf(ctx) };
      const work = { ctx, look, apis, request, listener: body.listener };
      return toOutcome(work, await this.#remove(work, await this.#lock(work)));
    });
  }

  /** Services before documents, like all writers; what was found before the lock may have changed. */
  async #lock({ ctx, look, request, listener }: Work): Promise<Found> {
    const { hosts, labelled } = await findPublication(look, request, listener);
    const reached = await findReachedServices(look.db, look.scope, [...hosts, ...labelled]);
    for (const id of reached.map((service) => service.id).toSorted())
      await this.#deps.services.lock(look.db, scopeOf(ctx), id);
    await lockDocuments(look.db, look.scope);
    return findPublication(look, request, listener);
  }

  async #remove(work: Work, found: Found): Promise<Removed> {
    const { look, request, ctx } = work;
    const plan = planRemoval(request, found.hosts, found.clusters);
    const hosts = await this.#apply(work, plan);
    const { empty, warnings: shared } = await findEmptyRoutes(look, listRoutes(plan.deleted, found.labelled));
    const listeners = empty.flatMap((one) => one.listeners);
    const services = await endServices({ ...this.#deps, ctx, look }, listeners);
    const unlisted = await this.#apply(work, { deleted: [...listeners, ...empty.map(({ routes }) => routes)] });
    const clusters = found.labelled.filter(({ collection }) => collection === 'clusters').map(({ name }) => name);
    const names = [...new Set([...plan.clusters, ...clusters])].toSorted();
    const { unused, warnings: used } = await findUnusedClusters(look, names, plan.clusters);
    const unrouted = await this.#apply(work, { deleted: unused.flatMap((name) => found.clusters.get(name) ?? []) });
    const applied = [hosts, unlisted, unrouted];
    if (applied.every(({ results }) => results.length === 0))
      throw failNotPublished(request, describeOthers(request, found.hosts));
    const { commands } = this.#deps;
    ctx.afterCommit(async () => commands.notify(services.flatMap((service) => service.commands)));
    return { applied, services, warnings: [...plan.warnings, ...shared, ...used] };
  }

  async #apply(
    { ctx, look, apis }: Work,
    { changed = [], deleted }: { changed?: readonly PlannedDocument[]; deleted: readonly StoredDocument[] },
  ): Promise<Applied> {
    if (changed.length + deleted.length === 0) return { results: [], reach: {}, shows: [] };
    const { version } = look.scope;
    return applyWithin({ deps: this.#deps.documents, ctx, tx: look.db, apis }, {
      documents: changed.map((document) => ({ ...document, version })),
      delete: deleted.map(({ collection, name, revision }) => ({ collection, name, version, revision })),
    } as Parameters<typeof applyWithin>[1]);
  }
}

/** Route configurations that may have no virtual host any more. */
function listRoutes(hosts: readonly StoredDocument[], labelled: readonly StoredDocument[]): string[] {
  const ofHosts = hosts.map(({ name }) => name.split('/', 1)[0] ?? '');
  const own = labelled.filter(({ collection }) => collection === 'routes').map(({ name }) => name);
  return [...new Set([...ofHosts, ...own])];
}

async function toOutcome({ ctx, look, request }: Work, removed: Removed): Promise<WriteOutcome> {
  const { applied, services } = removed;
  const documents = applied.flatMap(({ results }) => results) as UnpublishResult['documents'];
  const commands = services.flatMap(({ changed, commands: own }) =>
    own.map((one) => ({ ...one, service: changed.name })),
  );
  const ids = commands.map(({ client_id }) => client_id);
  const known = await findClients(look.db, look.scope.project, ids);
  const clients = commands.map(({ client_id, service, command_id, outcome }) => ({
    client_id,
    client_name: known.get(client_id)?.name ?? client_id,
    service,
    connected: known.get(client_id)?.connected ?? false,
    command_id: ctx.dryRun ? null : command_id,
    outcome: ctx.dryRun ? null : outcome,
  }));
  const offline = [...new Set(clients.filter(({ connected }) => !connected).map(({ client_name }) => client_name))];
  const waits = `Not connected: ${offline.join(', ')}. A client removes it when it is connected again.`;
  const changed = services.map((service) => service.changed);
  const body = {
    version: look.scope.version,
    documents,
    changed_services: changed,
    clients,
    ...mergeReach(applied),
    warnings: [
      ...removed.warnings,
      ...services.flatMap(({ warnings }) => warnings),
      ...(offline.length > 0 ? [waits] : []),
    ],
  };
  const changes = {
    hosts: [...request.hosts],
    ...(request.path !== undefined && { path: request.path }),
    documents: documents.map(({ collection, name, outcome }) => ({ collection, name, outcome })),
    services: changed.map(({ name, outcome }) => ({ name, outcome })),
  };
  const shows = applied.flatMap((one) => one.shows);
  return { reply: { body }, audit: { type: 'documents', changes }, shows };
}

/** Set in a dry run. */
function mergeReach(applied: readonly Applied[]): Pick<UnpublishResult, 'services' | 'nodes'> {
  const reaches: Pick<UnpublishResult, 'services' | 'nodes'>[] = applied.map(({ reach }) => reach);
  const services = reaches.flatMap((reach) => reach.services ?? []);
  const nodes = reaches.flatMap((reach) => reach.nodes ?? []);
  if (reaches.every((reach) => reach.nodes === undefined)) return {};
  return { services: [...new Map(services.map((one) => [one.id, one])).values()], nodes: [...new Set(nodes)] };
}
