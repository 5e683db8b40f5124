import { fail, type PublishBody, type ServiceRecord } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { failPermission, listReached, readerOf } from '../../../platform/auth/index.ts';
import type { Reply, RequestContext, WriteOutcome } from '../../../platform/http/context.ts';
import { applyWithin, type Configuration, diffJson, findPolicies, lockDocuments } from '../../configuration/public.ts';
import type { CommandService } from '../commands/index.ts';
import { readService, type ServiceRegistry } from '../services/index.ts';
import { listCandidates, nameAfter } from './names.ts';
import { type Apis, NEW_BOOTSTRAP, type Plan, planPublication, requireClients } from './planning.ts';
import { listUncovered } from './policy-coverage.ts';
import { type PublishRequest, readRequest } from './request.ts';
import { toResult } from './result.ts';
import { findClients, findNewestVersion, findServiceNamed, findServiceNames, findVersionOf } from './store.ts';
import { findTarget, type Look, needsDeploy, type Target } from './target.ts';

export interface PublishDeps {
  readonly documents: Configuration['documents'];
  readonly policies: Configuration['policies'];
  readonly services: ServiceRegistry;
  readonly commands: CommandService;
}

interface PublishWork {
  readonly request: PublishRequest;
  readonly version: string;
  readonly apis: Apis;
  /** Hosts that the requested policy does not cover. */
  readonly uncovered: readonly string[];
}

/**
 * Publishes upstreams in one transaction: documents, service and commands, all or nothing. Locks the service, then the
 * documents of its version, like every writer of services.
 */
export class Publisher {
  readonly #deps: PublishDeps;

  constructor(deps: PublishDeps) {
    this.#deps = deps;
  }

  async publish(ctx: RequestContext, body: PublishBody): Promise<Reply> {
    const request = readRequest(body);
    const version = await this.#chooseVersion(ctx.db, ctx.project.id, request);
    // Loaded before the transaction: the first use of a version may have to download its Envoy.
    const apis = new Map([[version, await this.#deps.documents.envoyApis.get(version)]]);
    const uncovered = await this.#listUncovered(ctx, request);
    return ctx.write((tx) => this.#publishWithin(ctx, tx, { request, version, apis, uncovered }));
  }

  /** Hosts that the policy does not cover. The analysis of a policy runs in another process, outside the transaction. */
  async #listUncovered({ db, project }: RequestContext, { policy, hosts }: PublishRequest): Promise<readonly string[]> {
    const [row] = policy === undefined ? [] : await findPolicies(db, project.id, [policy]);
    return row ? listUncovered(hosts, (await this.#deps.policies.views.summaryOf(row)).hosts) : [];
  }

  async #chooseVersion(db: Db, project: string, request: PublishRequest): Promise<string> {
    const { listener, clients, service } = request;
    const named = service === undefined ? undefined : await findServiceNamed(db, project, service);
    const clientIds = clients.map(({ client_id }) => client_id);
    const ofListener =
      'existing' in listener ? await findVersionOf(db, project, { listener: listener.existing, clientIds }) : undefined;
    return (
      request.version ??
      named?.version ??
      ofListener ??
      (await findNewestVersion(db, project)) ??
      (await this.#deps.documents.envoyApis.newest())
    );
  }

  async #publishWithin(
    ctx: RequestContext,
    tx: Tx,
    { request, version, apis, uncovered }: PublishWork,
  ): Promise<WriteOutcome> {
    const scope = { project: ctx.project.id, version };
    const look = { db: tx, scope, reader: readerOf(ctx) };
    const target = await this.#lockTarget(ctx, look, request);
    const before =
      target.serviceId === undefined
        ? undefined
        : await readService(tx, { projectId: scope.project, serviceId: target.serviceId });
    const wanted = before && request.clients.length === 0 ? { ...request, clients: before.clients } : request;
    await requireClients(look, wanted, before);
    const plan = await planPublication(look, wanted, { listener: target.listener, apis, before });
    const applied = await applyWithin({ deps: this.#deps.documents, ctx, tx, apis }, {
      documents: plan.documents.map((document) => ({ ...document, version })),
    } as Parameters<typeof applyWithin>[1]);
    const service = await this.#writeService(ctx, tx, { request: wanted, plan, before, version });
    const deploying = wanted.clients.filter(({ client_id, addresses }) =>
      needsDeploy(before ?? service, client_id, addresses),
    );
    const results = await this.#deploy(ctx, tx, service, deploying);
    const record = await readService(tx, { projectId: scope.project, serviceId: service.id });
    const clients = await findClients(
      tx,
      scope.project,
      wanted.clients.map(({ client_id }) => client_id),
    );
    const diff = diffJson(before && toComparable(before), toComparable(record));
    const body = toResult({
      request: wanted,
      plan,
      applied,
      before,
      record,
      diff,
      clients,
      results,
      uncovered,
      dryRun: ctx.dryRun,
    });
    const { outcome } = body;
    const changes = {
      hosts: [...request.hosts],
      path: request.path,
      listener: plan.listener.name,
      documents: applied.results
        .filter((one) => one.outcome !== 'unchanged')
        .map(({ collection, name }) => ({ collection, name })),
      clients: deploying.map(({ client_id }) => client_id),
    };
    return {
      reply: { body },
      audit: { type: 'service', id: record.id, name: record.name, changes },
      isUnchanged: outcome === 'unchanged',
      shows: [...applied.shows, { kind: 'service', id: record.id }],
    };
  }

  /** Locks the service, then the documents. Two equal requests at once: the second one finds what the first one made. */
  async #lockTarget(ctx: RequestContext, look: Look & { readonly db: Tx }, request: PublishRequest): Promise<Target> {
    const lock = async ({ serviceId }: Target) => {
      if (serviceId !== undefined) await this.#deps.services.lock(look.db, scopeOf(ctx), serviceId);
    };
    const found = await findTarget(look, request);
    await lock(found);
    await lockDocuments(look.db, look.scope);
    if (found.serviceId !== undefined) return found;
    const again = await findTarget(look, request);
    await lock(again);
    return again;
  }

  async #writeService(
    ctx: RequestContext,
    tx: Tx,
    {
      request,
      plan,
      before,
      version,
    }: { request: PublishRequest; plan: Plan; before: ServiceRecord | undefined; version: string },
  ): Promise<ServiceRecord> {
    const context = { ...scopeOf(ctx), ifMatch: undefined, ifNoneMatch: undefined };
    const listeners = [plan.listener.name];
    const policies = request.policy === undefined ? [] : [request.policy];
    if (!before) {
      requireAdmin(ctx);
      const name = request.service ?? (await chooseServiceName(tx, ctx.project.id, nameAfter(request.hosts[0])));
      const clients = request.clients.map(({ client_id, addresses = [] }) => ({ client_id, addresses }));
      const shield = { threads: 1, xff_trusted_hops: 0 };
      const bootstrap = plan.bootstrap ?? NEW_BOOTSTRAP.name;
      const document = { name, version, bootstrap, listeners, policies, shield, clients, api_discovery: false };
      return this.#deps.services.create(tx, context, { ...document, project: ctx.project.id });
    }
    const wanted = {
      listeners: [...new Set([...before.listeners, ...listeners])],
      policies: [...new Set([...before.policies, ...policies])],
    };
    if (wanted.listeners.length === before.listeners.length && wanted.policies.length === before.policies.length)
      return before;
    requireAdmin(ctx);
    return this.#deps.services.patch(tx, context, before.id, wanted);
  }

  async #deploy(
    ctx: RequestContext,
    tx: Tx,
    service: ServiceRecord,
    clients: PublishRequest['clients'],
  ): ReturnType<CommandService['deployWithin']> {
    if (clients.length === 0) return [];
    const reader = readerOf(ctx);
    if (
      reader &&
      !(await listReached(tx, reader, { kind: 'service', ids: [service.id], level: 'change' })).has(service.id)
    )
      throw failPermission({ kind: 'service', level: 'change' });
    const results = await this.#deps.commands.deployWithin(tx, scopeOf(ctx), { service, clients });
    ctx.afterCommit(async () => this.#deps.commands.notify(results));
    return results;
  }
}

export function scopeOf({ project, now, actor, prepare }: RequestContext) {
  return { project, now, actor, prepare };
}

/** The same as for the routes of services. */
export function requireAdmin({ project: { role } }: RequestContext): void {
  if (role !== 'owner' && role !== 'admin') throw fail('role.forbidden', { roles: 'owner or admin', role });
}

async function chooseServiceName(tx: Tx, project: string, wanted: string): Promise<string> {
  const names = listCandidates(wanted);
  const taken = await findServiceNames(tx, project, names);
  return names.find((name) => !taken.has(name)) ?? wanted;
}

/** The part of a service that publishing changes. */
export function toComparable({ name, version, bootstrap, listeners, policies, clients }: ServiceRecord) {
  return { name, version, bootstrap, listeners, policies, clients };
}
