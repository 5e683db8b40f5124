import type { Collection, DocumentState, NodeHealth } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { COLLECTION_TYPE } from '@flotilla/translate';
import { type RawBuilder, sql } from 'kysely';
import { type DocumentStates, documentKeyOf, type ReachedService } from '../../configuration/public.ts';
import { selectTargetHealth } from '../services/index.ts';
import { deriveDocumentState, type NodeFacts } from './model.ts';

export const documentStates: DocumentStates = { readStates, isRefused };

async function readStates(
  db: Db,
  project: string,
  reached: readonly ReachedService[],
): Promise<ReadonlyMap<string, DocumentState>> {
  if (reached.length === 0) return new Map();
  const ids = [...new Set(reached.map(({ service_id }) => service_id))];
  const { rows } = await sql<{ service_id: string; connected: boolean; state: NodeHealth }>`
    ${selectTargetHealth(sql`service_targets.service_id = any(${ids}::uuid[])`)}`.execute(db);
  const nodes = Map.groupBy(rows, ({ service_id }) => service_id);
  const refused = await findRefused(db, project, reached);
  const states = new Map<string, DocumentState>();
  for (const [key, services] of Map.groupBy(reached, documentKeyOf)) {
    const found = services.flatMap(({ service_id }): NodeFacts[] => nodes.get(service_id) ?? []);
    states.set(key, deriveDocumentState(found, refused.has(key)));
  }
  return states;
}

/** Keys of the documents that an active configuration error names. */
async function findRefused(db: Db, project: string, keys: readonly ReachedService[]): Promise<ReadonlySet<string>> {
  const [collection] = keys.map((key) => key.collection as Collection);
  if (collection === undefined) return new Set();
  const names = [...new Set(keys.map(({ name }) => name))];
  const rows = await db
    .selectFrom('documents')
    .select(['version', 'collection', 'name'])
    .where('project_id', '=', project)
    .where('collection', '=', collection)
    .where(sql<boolean>`documents.name = any(${names}::text[])`)
    .where(isRefused(collection))
    .execute();
  return new Set(rows.map(documentKeyOf));
}

/** Errors name resources by their Envoy type; a document of another type is named by its collection and its own type. */
function isRefused(collection: Collection): RawBuilder<boolean> {
  const type = COLLECTION_TYPE[collection] ?? collection;
  return sql<boolean>`exists (
    select from config_errors join services on services.id = config_errors.service_id
    where config_errors.project_id = documents.project_id and services.version = documents.version
      and config_errors.status = 'active' and config_errors.severity <> 'warning'
      and config_errors.resource_name = documents.name
      and config_errors.resource_type in (${type}, documents.type, ${collection}))`;
}
