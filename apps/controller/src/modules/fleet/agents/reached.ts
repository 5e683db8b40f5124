import type { Db, OutboxEvent } from '@flotilla/db';
import * as z from 'zod';
import { listSharingServices } from '../../configuration/public.ts';
import { CLIENTS_REMOVED } from '../clients/index.ts';
import { SERVICES_CHANGED } from '../services/index.ts';
import { listDeployedClients } from './desired-store.ts';

export interface DocumentKey {
  readonly collection: string;
  readonly name: string;
}

/** Services that use one of these documents, directly or indirectly. */
export type FindReachedServices = (
  db: Db,
  scope: { readonly project: string; readonly version: string },
  keys: readonly DocumentKey[],
) => Promise<ReadonlyArray<{ readonly id: string }>>;

/** Topics of other features that may change bootstraps or bundles. */
export const DOCUMENTS_CHANGED = 'documents.changed';
export const POLICIES_CHANGED = 'policies.changed';

const documentsSchema = z.object({ project: z.string(), version: z.string(), keys: z.array(z.string()) });
const policiesSchema = z.object({ service_ids: z.array(z.string()) });

/** Only these affect a bootstrap or the host's open ports; everything else is sent over xDS. */
const CONTENT_COLLECTIONS: ReadonlySet<string> = new Set(['bootstrap', 'listeners', 'filters', 'extensions']);

/** Clients whose bootstraps or policy bundles these events may have changed. */
export async function findReachedClients(
  db: Db,
  events: readonly OutboxEvent[],
  findReachedServices: FindReachedServices,
): Promise<ReadonlySet<string>> {
  const serviceIds = new Set<string>();
  let mayChangeEdges = false;
  for (const { topic, payload } of events) {
    if (topic === POLICIES_CHANGED) for (const id of policiesSchema.parse(payload).service_ids) serviceIds.add(id);
    // The number of proxies changes each proxy's part of a shared limit.
    mayChangeEdges ||= topic === SERVICES_CHANGED || topic === CLIENTS_REMOVED;
    if (topic !== DOCUMENTS_CHANGED) continue;
    const { keys, project, version } = documentsSchema.parse(payload);
    const relevant = keys.map(toKey).filter(({ collection }) => CONTENT_COLLECTIONS.has(collection));
    if (relevant.length === 0) continue;
    for (const { id } of await findReachedServices(db, { project, version }, relevant)) serviceIds.add(id);
  }
  if (mayChangeEdges) for (const id of await listSharingServices(db)) serviceIds.add(id);
  return serviceIds.size === 0 ? new Set() : listDeployedClients(db, [...serviceIds]);
}

function toKey(text: string): DocumentKey {
  const slash = text.indexOf('/');
  return { collection: text.slice(0, slash), name: text.slice(slash + 1) };
}
