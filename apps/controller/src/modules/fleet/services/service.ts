import { isDeepStrictEqual } from 'node:util';
import { fail, failFleet, type ServiceRecord } from '@flotilla/contract';
import { publish, type Tx } from '@flotilla/db';
import type { JsonValue } from '@flotilla/envoy-api';
import { createId, type Violation } from '@flotilla/kit';
import type { RequestContext } from '../../../platform/http/context.ts';
import { type Author, actorName } from '../../../platform/http/context.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { prepareAtOnce } from '../../../platform/http/preparation.ts';
import { mergePatch } from '../../../platform/json/merge-patch.ts';
import { lockDocuments } from '../../configuration/public.ts';
import { failPortInUse, findPortConflicts } from './check-ports.ts';
import { checkLists, parseDocument } from './document.ts';
import { type ServiceDocument, toDocument } from './model.ts';
import {
  changeTargets,
  clearVersions,
  deleteService,
  expectNodes,
  findRevisionDocument,
  insertRevision,
  insertService,
  isNameTaken,
  listTargetClients,
  lockServiceRow,
  markUndeployed,
  noteDesiredChange,
  type Stamp,
  type TargetChange,
  updateService,
} from './store.ts';
import { releaseUnusedPort, replaceTargets, type Touches } from './targets.ts';
import { readService } from './views.ts';

/** The part of the documents feature that services use: it checks references and records the users of documents. */
export interface ServiceReferences {
  /** Problems with the references, each with the path of the field; empty if all exist. */
  check(tx: Tx, service: ReferringService, prepare: RequestContext['prepare']): Promise<Violation[]>;
  /** Writes the reverse index, so that the deletion of a document finds this service. */
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

/** Project, time and actor of a change. */
export interface ProjectContext {
  /** `reader`: the member whose permissions restrict what they may see. */
  readonly project: { readonly id: string; readonly reader?: string | undefined };
  readonly now: Date;
  readonly actor: Author;
  /** undefined if only targets change. */
  readonly prepare?: RequestContext['prepare'];
}

type WriteContext = ProjectContext & Pick<RequestContext, 'ifMatch' | 'ifNoneMatch'>;

interface Written {
  readonly id: string;
  readonly revision: number;
  readonly document: ServiceDocument;
  readonly touches: Touches;
}

/** A change of what clients run of a service. */
export interface TargetsChanged {
  readonly serviceId: string;
  /** Clients where the service is deployed, or was until this change. */
  readonly clientIds: readonly string[];
  readonly now: Date;
}

/** Published when the desired state of a client may have changed. */
export const SERVICES_CHANGED = 'services.changed';

/**
 * Writes services. Every method runs in the caller's transaction and writes the row, its targets with their admin
 * ports, a history entry, the references and the change event.
 */
export class ServiceRegistry {
  readonly #references: ServiceReferences;
  readonly #onTargetsChanged: ((tx: Tx, change: TargetsChanged) => Promise<void>) | undefined;

  /** `onTargetsChanged` runs in the transaction, with the service and the clients locked. */
  constructor(deps: {
    references: ServiceReferences;
    onTargetsChanged?: ((tx: Tx, change: TargetsChanged) => Promise<void>) | undefined;
  }) {
    this.#references = deps.references;
    this.#onTargetsChanged = deps.onTargetsChanged;
  }

  async create(tx: Tx, ctx: WriteContext, document: ServiceDocument): Promise<ServiceRecord> {
    const id = createId(ctx.now.getTime());
    const inserted = await insertService(tx, { id, projectId: ctx.project.id }, { document, stamp: stamp(ctx) });
    if (!inserted) throw fail('record.exists', { kind: 'service', name: document.name });
    return this.#settle(tx, ctx, { id, revision: 1, document, touches: 'all' });
  }

  /** An unchanged document keeps its revision. */
  async replace(tx: Tx, ctx: WriteContext, serviceId: string, document: ServiceDocument): Promise<ServiceRecord> {
    const { name, version, revision } = await lockService(tx, ctx, serviceId);
    const before = await readService(tx, { projectId: ctx.project.id, serviceId });
    if (isDeepStrictEqual(toDocument(before), document)) return before;
    // Envoy's node id contains the name: a renamed service would be another node on its hosts.
    if (name !== document.name) await requireUndeployed(tx, serviceId, name);
    if (await isNameTaken(tx, { id: serviceId, projectId: ctx.project.id, name: document.name })) {
      throw fail('record.exists', { kind: 'service', name: document.name });
    }
    await updateService(tx, serviceId, { document, stamp: stamp(ctx), revision: revision + 1 });
    // The version overrides of clients were chosen for the previous version.
    if (version !== document.version) await clearVersions(tx, serviceId);
    return this.#settle(tx, ctx, { id: serviceId, revision: revision + 1, document, touches: 'all' });
  }

  async patch(tx: Tx, ctx: WriteContext, serviceId: string, patch: JsonValue): Promise<ServiceRecord> {
    await lockService(tx, ctx, serviceId);
    const before = await readService(tx, { projectId: ctx.project.id, serviceId });
    return this.replace(tx, ctx, serviceId, parseDocument(ctx, mergePatch(toDocument(before), patch)));
  }

  async restore(tx: Tx, ctx: WriteContext, serviceId: string, revision: number): Promise<ServiceRecord> {
    await lockService(tx, ctx, serviceId);
    const document = await findRevisionDocument(tx, serviceId, revision);
    if (document === undefined) throw fail('record.not_found', { kind: 'revision', name: String(revision) });
    return this.replace(tx, ctx, serviceId, parseDocument(ctx, document));
  }

  /** Refused with the clients it is deployed to. */
  async remove(tx: Tx, ctx: WriteContext, serviceId: string): Promise<{ name: string }> {
    const { name } = await lockService(tx, ctx, serviceId);
    const targets = await requireUndeployed(tx, serviceId, name);
    for (const { clientId } of targets) await releaseUnusedPort(tx, serviceId, clientId);
    await this.#references.remove(tx, serviceId);
    await deleteService(tx, serviceId);
    await publish(tx, SERVICES_CHANGED, { project_id: ctx.project.id, service_id: serviceId }, ctx.now);
    return { name };
  }

  /**
   * Deploys the service to the clients: lists new ones and marks all as deployed and running, each at a new generation.
   * Addresses are only replaced if given.
   */
  async deploy(
    tx: Tx,
    ctx: ProjectContext,
    serviceId: string,
    targets: ReadonlyArray<{ readonly client_id: string; readonly addresses: readonly string[] | undefined }>,
  ): Promise<Map<string, number>> {
    const before = await this.readLocked(tx, ctx, serviceId);
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
      // A listener cannot change its port while the new targets are checked.
      await lockDocuments(tx, { project: ctx.project.id, version: before.version });
      await this.#rewriteClients(tx, ctx, before, clients);
      const changed = targets.filter(({ addresses }) => addresses !== undefined).map(({ client_id }) => client_id);
      await requireFreePorts(tx, ctx, before, [...changed, ...added.map(({ client_id }) => client_id)]);
    }
    const clientIds = targets.map(({ client_id }) => client_id);
    // Its port stays reserved until the client reports that nothing of the service is left.
    await expectNodes(tx, serviceId, clientIds);
    return this.change(tx, ctx, { serviceId, clientIds, set: { deployed: true, run_state: 'running' } });
  }

  /**
   * Changes what clients with the service should run, each at a new generation; without `set` they apply their state
   * again. Returns the generations; omits clients that are not targets.
   */
  async change(tx: Tx, ctx: ProjectContext, change: TargetChange): Promise<Map<string, number>> {
    const generations = await changeTargets(tx, change);
    await noteDesiredChange(tx, [...generations.keys()]);
    await this.#note(tx, ctx, change.serviceId, [...generations.keys()]);
    await publish(tx, SERVICES_CHANGED, { project_id: ctx.project.id, service_id: change.serviceId }, ctx.now);
    return generations;
  }

  /**
   * Removes clients from the document, so that they delete everything of the service. Their ports stay reserved until
   * they report that nothing is left.
   */
  async undeploy(tx: Tx, ctx: ProjectContext, serviceId: string, clientIds: readonly string[]): Promise<void> {
    const before = await this.readLocked(tx, ctx, serviceId);
    const undeployed = await markUndeployed(tx, serviceId, clientIds);
    await this.#rewriteClients(
      tx,
      ctx,
      before,
      before.clients.filter(({ client_id }) => !clientIds.includes(client_id)),
    );
    await this.#note(tx, ctx, serviceId, undeployed);
  }

  async #note(tx: Tx, ctx: ProjectContext, serviceId: string, clientIds: readonly string[]): Promise<void> {
    if (clientIds.length > 0) await this.#onTargetsChanged?.(tx, { serviceId, clientIds, now: ctx.now });
  }

  /** Serialises changes of the service: fences and generations grow in the order of the changes. */
  async lock(tx: Tx, ctx: ProjectContext, serviceId: string): Promise<void> {
    await lockService(tx, { ...ctx, ifMatch: undefined, ifNoneMatch: undefined }, serviceId);
  }

  /** The locked service before the caller's change. */
  async readLocked(tx: Tx, ctx: ProjectContext, serviceId: string): Promise<ServiceRecord> {
    await this.lock(tx, ctx, serviceId);
    return readService(tx, { projectId: ctx.project.id, serviceId });
  }

  async #rewriteClients(
    tx: Tx,
    ctx: ProjectContext,
    before: ServiceRecord,
    clients: ServiceDocument['clients'],
  ): Promise<void> {
    const revision = before.revision + 1;
    await updateService(tx, before.id, { stamp: stamp(ctx), revision });
    await this.#settle(tx, ctx, {
      id: before.id,
      revision,
      document: { ...toDocument(before), clients },
      touches: 'targets',
    });
  }

  async #settle(tx: Tx, ctx: ProjectContext, { id, revision, document, touches }: Written): Promise<ServiceRecord> {
    if (touches === 'all') await this.#refer(tx, ctx, { id, document });
    const changed = await replaceTargets(tx, ctx, { id, document, touches });
    await this.#note(tx, ctx, id, changed);
    if (touches === 'all') {
      const clientIds = document.clients.map(({ client_id }) => client_id);
      await requireFreePorts(tx, ctx, { id, listeners: document.listeners }, clientIds);
    }
    const record = await readService(tx, { projectId: ctx.project.id, serviceId: id });
    await insertRevision(tx, id, { revision, document: toDocument(record), stamp: stamp(ctx) });
    await publish(tx, SERVICES_CHANGED, { project_id: ctx.project.id, service_id: id }, ctx.now);
    return record;
  }

  async #refer(tx: Tx, ctx: ProjectContext, { id, document }: Pick<Written, 'id' | 'document'>): Promise<void> {
    const referring = { ...document, serviceId: id, projectId: ctx.project.id };
    const problems = [
      ...checkLists(document),
      ...(await this.#references.check(tx, referring, ctx.prepare ?? prepareAtOnce)),
    ];
    if (problems.length > 0) {
      const first = problems[0];
      throw failFleet('service.invalid', { reason: `${first?.path}: ${first?.message}` }, { details: problems });
    }
    await this.#references.replace(tx, referring);
  }
}

/** Throws port.in_use if something else on these clients has a port of the service. */
async function requireFreePorts(
  tx: Tx,
  ctx: ProjectContext,
  service: Pick<ServiceRecord, 'id' | 'listeners'>,
  clientIds: readonly string[],
): Promise<void> {
  const conflicts = await findPortConflicts(tx, { serviceIds: [service.id], clientIds });
  const { id: projectId, reader } = ctx.project;
  const refusal = await failPortInUse(tx, conflicts, {
    reader: reader === undefined ? undefined : { projectId, userId: reader },
    pathOf: ({ own }) => `listeners[${service.listeners.indexOf(own.listener ?? '')}]`,
  });
  if (refusal) throw refusal;
}

/** Locks the row and applies If-Match. */
async function lockService(
  tx: Tx,
  ctx: WriteContext,
  serviceId: string,
): Promise<{ name: string; version: string; revision: number }> {
  const row = await lockServiceRow(tx, { id: serviceId, projectId: ctx.project.id });
  if (!row) throw fail('record.not_found', { kind: 'service', name: serviceId });
  requireMatch(ctx, 'service', row.revision);
  return row;
}

/** Throws service.deployed with the clients it runs on; otherwise returns the targets that are only listed. */
async function requireUndeployed(tx: Tx, serviceId: string, name: string): Promise<Array<{ clientId: string }>> {
  const targets = await listTargetClients(tx, serviceId);
  const deployed = targets.filter((target) => target.deployed);
  if (deployed.length > 0) {
    const clients = deployed.map((target) => ({ client_id: target.id, client_name: target.name }));
    throw failFleet('service.deployed', { name }, { extra: { clients } });
  }
  return targets.map(({ id }) => ({ clientId: id }));
}

function stamp(ctx: ProjectContext): Stamp {
  return { updated_at: ctx.now, updated_by: actorName(ctx) };
}
