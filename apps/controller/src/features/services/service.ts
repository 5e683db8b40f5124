import { fail, failFleet, type ServiceRecord } from '@flotilla/contract';
import { publish, type Tx } from '@flotilla/db';
import { createId, type Violation } from '@flotilla/kit';
import { sql } from 'kysely';
import type { RequestContext } from '../../http/context.ts';
import { actorName } from '../../http/context.ts';
import { requireMatch } from '../../http/etag.ts';
import { checkLists, parseDocument } from './document.ts';
import { mergePatch, type ServiceDocument, toDocument } from './model.ts';
import { noteDesiredChange, releaseUnusedPort, replaceTargets, type Touches } from './targets.ts';
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

/** Who changes what when, as far as services need it. */
export interface ProjectContext {
  readonly project: { readonly id: string };
  readonly now: Date;
  readonly actor: RequestContext['actor'];
}

type WriteContext = ProjectContext & Pick<RequestContext, 'ifMatch'>;

interface Written {
  readonly id: string;
  readonly revision: number;
  readonly document: ServiceDocument;
  readonly touches: Touches;
}

/** A client that has said nothing of the service yet. */
const NOTHING_KNOWN = {
  phase: null,
  envoy_version: null,
  policy_digest: null,
  rollout_state: null,
  snapshot_version: null,
};

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
    return this.#settle(tx, ctx, { id, revision: 1, document, touches: 'all' });
  }

  async replace(tx: Tx, ctx: WriteContext, serviceId: string, document: ServiceDocument): Promise<ServiceRecord> {
    const { name, version, revision } = await lockService(tx, ctx, serviceId);
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
    // What a client was told to run instead was chosen for the version of before.
    if (version !== document.version) {
      await tx
        .updateTable('service_targets')
        .set({ envoy_version: null })
        .where('service_id', '=', serviceId)
        .execute();
    }
    return this.#settle(tx, ctx, { id: serviceId, revision: revision + 1, document, touches: 'all' });
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

  /**
   * Makes the clients run the service: lists those that are not listed yet and marks all as deployed and running, each at a
   * new generation. Addresses replace what is listed only where they are given.
   */
  async deploy(
    tx: Tx,
    ctx: ProjectContext,
    serviceId: string,
    targets: ReadonlyArray<{ readonly client_id: string; readonly addresses: readonly string[] | undefined }>,
  ): Promise<Map<string, number>> {
    const before = await this.#lockAndRead(tx, ctx, serviceId);
    const given = new Map(targets.map((target) => [target.client_id, target.addresses]));
    const listed = before.clients.map(({ client_id, addresses }) => ({
      client_id,
      addresses: [...(given.get(client_id) ?? addresses)],
    }));
    const added = targets
      .filter(({ client_id }) => !before.clients.some((client) => client.client_id === client_id))
      .map(({ client_id, addresses }) => ({ client_id, addresses: [...(addresses ?? [])] }));
    const clients = [...listed, ...added];
    if (JSON.stringify(clients) !== JSON.stringify(before.clients)) {
      await this.#rewriteClients(tx, ctx, before, clients);
    }
    const clientIds = targets.map(({ client_id }) => client_id);
    // From now on something of the service may be there: its port is kept until the client says that it is gone.
    await tx
      .insertInto('node_states')
      .values(clientIds.map((client_id) => ({ client_id, service_id: serviceId, ...NOTHING_KNOWN })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return this.change(tx, ctx, { serviceId, clientIds, set: { deployed: true, run_state: 'running' } });
  }

  /**
   * Changes what clients that the service is deployed to should run, each at a new generation; without `set` they apply
   * afresh what they should. Returns the generations; clients that are not targets are left out.
   */
  async change(
    tx: Tx,
    ctx: ProjectContext,
    change: {
      readonly serviceId: string;
      readonly clientIds: readonly string[];
      readonly set?: { deployed?: true; run_state?: 'running' | 'stopped'; envoy_version?: string };
    },
  ): Promise<Map<string, number>> {
    const rows = await tx
      .updateTable('service_targets')
      .set({ ...change.set, generation: sql<number>`nextval('fleet_generation')` })
      .where('service_id', '=', change.serviceId)
      .where(sql<boolean>`client_id = any(${[...change.clientIds]}::uuid[])`)
      .$if(change.set?.deployed === undefined, (query) => query.where('deployed', '=', true))
      .returning(['client_id', 'generation'])
      .execute();
    await noteDesiredChange(
      tx,
      rows.map(({ client_id }) => client_id),
    );
    await publish(tx, SERVICES_CHANGED, { project_id: ctx.project.id, service_id: change.serviceId }, ctx.now);
    return new Map(rows.map(({ client_id, generation }) => [client_id, generation]));
  }

  /**
   * Takes clients out of the document: they are to remove everything of the service. Their ports stay reserved until they
   * say that nothing is left.
   */
  async undeploy(tx: Tx, ctx: ProjectContext, serviceId: string, clientIds: readonly string[]): Promise<void> {
    const before = await this.#lockAndRead(tx, ctx, serviceId);
    await tx
      .updateTable('service_targets')
      .set({ deployed: false })
      .where('service_id', '=', serviceId)
      .where(sql<boolean>`client_id = any(${[...clientIds]}::uuid[])`)
      .execute();
    await this.#rewriteClients(
      tx,
      ctx,
      before,
      before.clients.filter(({ client_id }) => !clientIds.includes(client_id)),
    );
  }

  /** Waits for others who change the service: fences and generations grow in the order of the changes. */
  async lock(tx: Tx, ctx: ProjectContext, serviceId: string): Promise<void> {
    await lockService(tx, { ...ctx, ifMatch: undefined }, serviceId);
  }

  async #lockAndRead(tx: Tx, ctx: ProjectContext, serviceId: string): Promise<ServiceRecord> {
    await this.lock(tx, ctx, serviceId);
    return readService(tx, { projectId: ctx.project.id, serviceId }, ctx.now);
  }

  async #rewriteClients(
    tx: Tx,
    ctx: ProjectContext,
    before: ServiceRecord,
    clients: ServiceDocument['clients'],
  ): Promise<void> {
    const revision = before.revision + 1;
    await tx
      .updateTable('services')
      .set({ ...stamp(ctx), revision })
      .where('id', '=', before.id)
      .execute();
    await this.#settle(tx, ctx, {
      id: before.id,
      revision,
      document: { ...toDocument(before), clients },
      touches: 'targets',
    });
  }

  async #settle(tx: Tx, ctx: ProjectContext, { id, revision, document, touches }: Written): Promise<ServiceRecord> {
    if (touches === 'all') await this.#refer(tx, ctx, { id, document });
    await replaceTargets(tx, ctx, { id, document, touches });
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

  async #refer(tx: Tx, ctx: ProjectContext, { id, document }: Pick<Written, 'id' | 'document'>): Promise<void> {
    const referring = { ...document, serviceId: id, projectId: ctx.project.id };
    const problems = [...checkLists(document), ...(await this.#references.check(tx, referring))];
    if (problems.length > 0) {
      const first = problems[0];
      throw failFleet('service.invalid', { reason: `${first?.path}: ${first?.message}` }, { details: problems });
    }
    await this.#references.replace(tx, referring);
  }
}

/** Locks the row and honours If-Match. */
async function lockService(
  tx: Tx,
  ctx: WriteContext,
  serviceId: string,
): Promise<{ name: string; version: string; revision: number }> {
  const row = await tx
    .selectFrom('services')
    .select(['name', 'version', 'revision'])
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

function stamp(ctx: ProjectContext) {
  return { updated_at: ctx.now, updated_by: actorName(ctx) };
}
