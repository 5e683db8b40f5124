import type { Tx } from '@flotilla/db';
import type { RequestContext } from '../../../http/context.ts';
import { applyDocuments, type DocumentServiceDeps, findDocuments } from '../../documents/index.ts';
import { createPolicy, findPolicies, replacePolicy } from '../../policies/index.ts';
import type { ServiceRegistry } from '../../services/index.ts';
import { findServices, findTargets } from '../project-store.ts';
import type { RestoreWork } from './plan.ts';

export interface ApplyDeps {
  readonly documents: DocumentServiceDeps;
  readonly services: Pick<ServiceRegistry, 'create' | 'replace'>;
}

/** What was restored: the id that it had in the backup, and the one that it has here. */
export interface IdMapping {
  readonly kind: 'documents' | 'policies' | 'services';
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Writes as a person would who has the caller's rights, with every check that such a write meets, in the one transaction of
 * the caller. Ids of the backup go nowhere but into the map that comes back.
 */
export async function applyRestore(
  deps: ApplyDeps,
  ctx: RequestContext,
  tx: Tx,
  work: RestoreWork,
): Promise<IdMapping[]> {
  const project = ctx.project.id;
  const within: RequestContext = {
    ...ctx,
    project: ctx.project,
    access: ctx.access,
    ifMatch: undefined,
    dryRun: false,
    db: tx,
    write: async (one) => (await one(tx)).reply,
  };
  if (work.documents.length > 0)
    await applyDocuments(deps.documents, within, { project, documents: work.documents.map(({ body }) => body) });
  const write = { ctx: within, keyring: deps.documents.keyring };
  for (const { body, isNew } of work.policies) {
    if (isNew) await createPolicy(write, body.name, body);
    else await replacePolicy(write, body.name, body);
  }
  for (const { body, id } of work.services) {
    // Where it runs is no part of the backup: what it has here it keeps.
    const clients = id === undefined ? [] : await findTargets(tx, id);
    const document = { ...body, project, clients };
    if (id === undefined) await deps.services.create(tx, within, document);
    else await deps.services.replace(tx, within, id, document);
  }
  return mapIds(tx, project, work);
}

async function mapIds(tx: Tx, project: string, work: RestoreWork): Promise<IdMapping[]> {
  const map: IdMapping[] = [];
  for (const [version, items] of Map.groupBy(work.documents, ({ body }) => body.version)) {
    const rows = await findDocuments(
      tx,
      { project, version },
      items.map(({ body }) => body),
    );
    const ids = new Map(rows.map((row) => [`${row.collection}/${row.name}`, row.id]));
    for (const { from, body } of items) {
      const to = ids.get(`${body.collection}/${body.name}`);
      if (to !== undefined)
        map.push({ kind: 'documents', name: `${version}/${body.collection}/${body.name}`, from, to });
    }
  }
  const named = [
    [
      'policies',
      work.policies,
      await findPolicies(
        tx,
        project,
        work.policies.map(({ body }) => body.name),
      ),
    ],
    [
      'services',
      work.services,
      await findServices(
        tx,
        project,
        work.services.map(({ body }) => body.name),
      ),
    ],
  ] as const;
  for (const [kind, items, rows] of named) {
    const ids = new Map(rows.map(({ id, name }) => [name, id]));
    for (const { from, body } of items) {
      const to = ids.get(body.name);
      if (to !== undefined) map.push({ kind, name: body.name, from, to });
    }
  }
  return map;
}
