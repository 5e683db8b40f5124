import { fail, failFleet, type ServiceRecord, serviceWriteSchema } from '@flotilla/contract';
import { publish, type Tx } from '@flotilla/db';
import { createId, type Violation } from '@flotilla/kit';
import { sql } from 'kysely';
import type { RequestContext } from '../../http/context.ts';
import { actorName } from '../../http/context.ts';
import { requireMatch } from '../../http/etag.ts';
import { toViolations } from '../../http/validate.ts';
import { findRepeated, mergePatch, type ServiceDocument, toDocument } from './model.ts';
import { releaseAdminPort, reserveAdminPorts } from './ports.ts';
import { readService } from './views.ts';

/** What a service needs of the documents: that what it names is there, and that it is told who uses it. */
export interface ServiceReferences {
  /** Problems with the names, each with the path of the field; none when all exist. */
  check(tx: Tx, service: ReferringService): Promise<Violation[]>;
  /** Writes the reverse index: whoever deletes a document finds this service. */
  replace(tx: Tx, service: ReferringService): Promise<void>;
  remove(tx: Tx, serviceId: string): Promise<void>;
}

export interface ReferringService {
  readonly serviceId: string;
  readonly projectId: string;
  readonly name: string;
  readonly version: string;
  readonly bootstrap: string;
  readonly listeners: readonly string[];
  readonly policies: readonly string[];
}

type WriteContext = Pick<RequestContext, 'project' | 'now' | 'actor' | 'ifMatch'>;

/** Topic published when what some client should run may have changed. */
export const SERVICES_CHANGED = 'services.changed';

/**
 * Writes of services. Every method is part of the caller's transaction and leaves behind: the row, its targets with
 * their admin ports, one more entry of history, the references, and the news of the change.
 */
export class ServiceRegistry {
  readonly #references: ServiceReferences;

  constructor(deps: { references: ServiceReferences }) {
    this.#references = deps.references;
  }

  async create(tx: Tx, ctx: WriteContext, document: ServiceDocument): Promise<ServiceRecord> {
    const { now } = ctx;
    const id = createId(now.getTime());
    const inserted = await tx
      .insertInto('services')
      .values({ id, project_id: ctx.project.id, ...toColumns(document), ...stamp(ctx), created_at: now })
      .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!inserted) throw fail('record.exists', { kind: 'service', name: document.name });
    return this.#settle(tx, ctx, { id, revision: 1, document });
  }

  async replace(tx: Tx, ctx: WriteContext, serviceId: string, document: ServiceDocument): Promise<ServiceRecord> {
    const { name, revision } = await lockService(tx, ctx, serviceId);
    // Envoy's node id holds the name: a renamed service would be another node on hosts that run it.
    if (name !== document.name) await requireUndeployed(tx, serviceId, name);
    const taken = await tx
      .selectFrom('services')
      .select('id')
      .where('project_id', '=', ctx.project.id)
      .where('name', '=', document.name)
      .where('id', '!=', serviceId)
      .executeTakeFirst();
    if (taken) throw fail('record.exists', { kind: 'service', name: document.name });
    await tx
      .updateTable('services')
      .set({ ...toColumns(document), ...stamp(ctx), revision: revision + 1 })
      .where('id', '=', serviceId)
      .execute();
    return this.#settle(tx, ctx, { id: serviceId, revision: revision + 1, document });
  }

  async patch(tx: Tx, ctx: WriteContext, serviceId: string, patch: unknown): Promise<ServiceRecord> {
    await lockService(tx, ctx, serviceId);
    const before = await readService(tx, { projectId: ctx.project.id, serviceId }, ctx.now);
    return this.replace(tx, ctx, serviceId, parseDocument(ctx, mergePatch(toDocument(before), patch)));
  }

  async restore(tx: Tx, ctx: WriteContext, serviceId: string, revision: number): Promise<ServiceRecord> {
    await lockService(tx, ctx, serviceId);
    const row = await tx
      .selectFrom('service_revisions')
      .select('document')
      .where('service_id', '=', serviceId)
      .where('revision', '=', revision)
      .executeTakeFirst();
    if (!row) throw fail('record.not_found', { kind: 'revision', name: String(revision) });
    return this.replace(tx, ctx, serviceId, parseDocument(ctx, row.document));
  }

  /** Refused with the clients it is deployed to. */
  async remove(tx: Tx, ctx: WriteContext, serviceId: string): Promise<{ name: string }> {
    const { name } = await lockService(tx, ctx, serviceId);
    const targets = await requireUndeployed(tx, serviceId, name);
    for (const { clientId } of targets) await releaseUnusedPort(tx, serviceId, clientId);
    await this.#references.remove(tx, serviceId);
    await tx.deleteFrom('config_errors').where('service_id', '=', serviceId).execute();
    await tx.deleteFrom('services').where('id', '=', serviceId).execute();
    await publish(tx, SERVICES_CHANGED, { project_id: ctx.project.id, service_id: serviceId }, ctx.now);
    return { name };
  }

  /** Adds a client to the document, for DEPLOY; a client that is listed already stays as it is. True: added. */
  async addTarget(
    tx: Tx,
    ctx: WriteContext,
    serviceId: string,
    target: ServiceDocument['clients'][number],
  ): Promise<boolean> {
    await lockService(tx, { ...ctx, ifMatch: undefined }, serviceId);
    const before = await readService(tx, { projectId: ctx.project.id, serviceId }, ctx.now);
    if (before.clients.some(({ client_id }) => client_id === target.client_id)) return false;
    await this.#rewriteClients(tx, ctx, before, [...before.clients, target]);
    return true;
  }

  /** Takes a client out of the document, for UNDEPLOY. Its port stays reserved until the client says that it is clean. */
  async removeTarget(tx: Tx, ctx: WriteContext, serviceId: string, clientId: string): Promise<void> {
    await lockService(tx, { ...ctx, ifMatch: undefined }, serviceId);
    await tx
      .updateTable('service_targets')
      .set({ deployed: false })
      .where('service_id', '=', serviceId)
      .where('client_id', '=', clientId)
      .execute();
    const before = await readService(tx, { projectId: ctx.project.id, serviceId }, ctx.now);
    const left = before.clients.filter(({ client_id }) => client_id !== clientId);
    await this.#rewriteClients(tx, ctx, before, left);
  }

  async #rewriteClients(
    tx: Tx,
    ctx: WriteContext,
    before: ServiceRecord,
    clients: ServiceDocument['clients'],
  ): Promise<void> {
    const revision = before.revision + 1;
    await tx
      .updateTable('services')
      .set({ ...stamp(ctx), revision })
      .where('id', '=', before.id)
      .execute();
    await this.#settle(tx, ctx, { id: before.id, revision, document: { ...toDocument(before), clients } });
  }

  async #settle(
    tx: Tx,
    ctx: WriteContext,
    { id, revision, document }: { id: string; revision: number; document: ServiceDocument },
  ): Promise<ServiceRecord> {
    const referring = { ...document, serviceId: id, projectId: ctx.project.id };
    const problems = [...checkLists(document), ...(await this.#references.check(tx, referring))];
    if (problems.length > 0) {
      const first = problems[0];
      throw failFleet('service.invalid', { reason: `${first?.path}: ${first?.message}` }, { details: problems });
    }
    await this.#references.replace(tx, referring);
    await replaceTargets(tx, ctx, { id, document });
    const record = await readService(tx, { projectId: ctx.project.id, serviceId: id }, ctx.now);
    await tx
      .insertInto('service_revisions')
      .values({
        service_id: id,
        revision,
        at: ctx.now,
        by_name: actorName(ctx),
        document: JSON.stringify(toDocument(record)),
      })
      .execute();
    await publish(tx, SERVICES_CHANGED, { project_id: ctx.project.id, service_id: id }, ctx.now);
    return record;
  }
}

/** Locks the row and honours If-Match. */
async function lockService(tx: Tx, ctx: WriteContext, serviceId: string): Promise<{ name: string; revision: number }> {
  const row = await tx
    .selectFrom('services')
    .select(['name', 'revision'])
    .where('id', '=', serviceId)
    .where('project_id', '=', ctx.project.id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'service', name: serviceId });
  requireMatch(ctx, 'service', row.revision);
  return row;
}

/** Throws service.deployed with the clients it runs on; else returns the targets that are only listed. */
async function requireUndeployed(tx: Tx, serviceId: string, name: string): Promise<Array<{ clientId: string }>> {
  const targets = await tx
    .selectFrom('service_targets')
    .innerJoin('clients', 'clients.id', 'service_targets.client_id')
    .select(['clients.id', 'clients.name', 'service_targets.deployed'])
    .where('service_id', '=', serviceId)
    .orderBy('clients.name')
    .execute();
  const deployed = targets.filter((target) => target.deployed);
  if (deployed.length > 0) {
    const clients = deployed.map((target) => ({ client_id: target.id, client_name: target.name }));
    throw failFleet('service.deployed', { name }, { extra: { clients } });
  }
  return targets.map(({ id }) => ({ clientId: id }));
}

/** Checks a document that was merged or taken from history by the same schema as a PUT. */
export function parseDocument(ctx: Pick<WriteContext, 'project'>, value: unknown): ServiceDocument {
  const parsed = serviceWriteSchema.safeParse(value);
  if (!parsed.success) {
    const details = parsed.error.issues.flatMap((issue) => toViolations(issue));
    const first = details[0];
    throw fail('request.invalid', { reason: `${first?.path}: ${first?.message}` }, { details });
  }
  return ownDocument(ctx, parsed.data);
}

/** A `project` in the body that is not the one of the request would be a move: refused. */
export function ownDocument(
  ctx: Pick<WriteContext, 'project'>,
  document: Omit<ServiceDocument, 'project'> & { readonly project?: string | undefined },
): ServiceDocument {
  if (document.project !== undefined && document.project.toLowerCase() !== ctx.project.id) {
    const message = 'is not the project of the request; a service stays in its project';
    throw fail(
      'request.invalid',
      { reason: `project: ${message}` },
      { details: [{ path: 'project', rule: 'fixed', message }] },
    );
  }
  return { ...document, project: ctx.project.id };
}

function checkLists(document: ServiceDocument): Violation[] {
  const lists = {
    listeners: document.listeners,
    policies: document.policies,
    clients: document.clients.map(({ client_id }) => client_id),
  };
  return Object.entries(lists).flatMap(([path, names]) => {
    const repeated = findRepeated(names);
    return repeated === undefined ? [] : [{ path, rule: 'unique', message: `names ${repeated} twice` }];
  });
}

/** Brings the targets to what the document lists; a client that the service is deployed to may not be left out. */
async function replaceTargets(
  tx: Tx,
  ctx: WriteContext,
  { id, document }: { id: string; document: ServiceDocument },
): Promise<void> {
  const wanted = document.clients.map(({ client_id }) => client_id.toLowerCase());
  const before = await tx.selectFrom('service_targets').selectAll().where('service_id', '=', id).execute();
  const gone = before.filter((target) => !wanted.includes(target.client_id));
  const stillDeployed = gone.filter((target) => target.deployed);
  if (stillDeployed.length > 0) {
    const clients = stillDeployed.map((target) => ({ client_id: target.client_id }));
    throw failFleet('service.client_deployed', { name: document.name }, { extra: { clients } });
  }
  for (const target of gone) {
    await tx
      .deleteFrom('service_targets')
      .where('service_id', '=', id)
      .where('client_id', '=', target.client_id)
      .execute();
    await releaseUnusedPort(tx, id, target.client_id);
  }
  if (wanted.length === 0) return;
  await requireClients(tx, ctx, wanted);
  const added = wanted.filter((clientId) => !before.some((target) => target.client_id === clientId));
  await reserveAdminPorts(tx, id, added);
  // Every write of the service is a new generation of all its nodes: the client reports which one it has applied.
  await tx
    .insertInto('service_targets')
    .values(
      document.clients.map(({ client_id, addresses }, position) => ({
        service_id: id,
        client_id,
        position,
        addresses,
        generation: sql<number>`nextval('fleet_generation')`,
        envoy_version: null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['service_id', 'client_id']).doUpdateSet((eb) => ({
        position: eb.ref('excluded.position'),
        addresses: eb.ref('excluded.addresses'),
        generation: eb.ref('excluded.generation'),
      })),
    )
    .execute();
}

async function requireClients(tx: Tx, ctx: WriteContext, wanted: readonly string[]): Promise<void> {
  const rows = await tx
    .selectFrom('clients')
    .select('id')
    .where('project_id', '=', ctx.project.id)
    .where('id', 'in', [...wanted])
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const details = wanted.flatMap((clientId, i) =>
    known.has(clientId)
      ? []
      : [
          {
            path: `clients[${i}].client_id`,
            rule: 'exists',
            message: `there is no client ${clientId} in this project`,
          },
        ],
  );
  if (details.length > 0) {
    throw failFleet('service.invalid', { reason: `${details[0]?.path}: ${details[0]?.message}` }, { details });
  }
}

/** A port is free again at once where the client never had anything of the service; else when it reports it removed. */
async function releaseUnusedPort(tx: Tx, serviceId: string, clientId: string): Promise<void> {
  const state = await tx
    .selectFrom('node_states')
    .select('phase')
    .where('service_id', '=', serviceId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (!state) await releaseAdminPort(tx, serviceId, clientId);
}

function toColumns(document: ServiceDocument) {
  return {
    name: document.name,
    version: document.version,
    bootstrap: document.bootstrap,
    listeners: [...document.listeners],
    policies: [...document.policies],
    shield_threads: document.shield.threads,
    shield_xff_trusted_hops: document.shield.xff_trusted_hops,
  };
}

function stamp(ctx: WriteContext) {
  return { updated_at: ctx.now, updated_by: actorName(ctx) };
}
