import { API_DOCUMENT_PATCH_MAX, type ApiCoverageItem, type ApiDocument } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { compare, ItemPage } from './compare.ts';
import { loadIndexes } from './documents.ts';
import { createPatch, type PatchedOperation } from './model/patch.ts';
import { readDetails } from './seen-store.ts';
import { findVersion } from './store.ts';

interface PatchRequest {
  readonly db: Db;
  readonly projectId: string;
  readonly document: ApiDocument;
  readonly since: Date;
}

/** The fragment of OpenAPI that a document lacks: the first operations by path, up to a limit. */
export async function createDocumentPatch({ db, projectId, document, since }: PatchRequest) {
  const { id } = document;
  const page = new ItemPage({
    limit: API_DOCUMENT_PATCH_MAX,
    kinds: ['undocumented', 'undeclared_parameter', 'undeclared_status'],
  });
  const indexes = await loadIndexes(db, projectId);
  await compare({ db, projectId, indexes, only: id, since, isRestricted: true, take: page.take });
  const { items, matched } = page.close();
  const missing = items.filter(({ kinds }) => kinds.includes('undocumented'));
  const details = await readDetails(
    db,
    projectId,
    missing.flatMap(({ operation_id: one }) => one ?? []),
  );
  const index = indexes.find(({ document: one }) => one.id === id);
  const operations = items.map((item): PatchedOperation => {
    const { statuses = [], queryNames = [] } = details.get(item.operation_id ?? '') ?? {};
    const isMissing = item.kinds.includes('undocumented');
    return {
      method: item.method,
      path: item.path,
      documentPath: isMissing ? index?.findPath(item.path) : findPath(item, id),
      isNew: isMissing,
      queryNames: isMissing ? queryNames : item.undeclared_parameters,
      statuses: isMissing ? statuses : item.undeclared_statuses,
    };
  });
  const { parts } = await findVersion(db, projectId, { id, number: document.version.number });
  const patch = createPatch(operations, { format: document.version.format, servers: parts.servers });
  const omitted = matched - items.length + Number(patch['x-flotilla-omitted'] ?? 0);
  return omitted > 0 ? { ...patch, 'x-flotilla-omitted': omitted } : patch;
}

function findPath({ documents }: ApiCoverageItem, id: string): string | undefined {
  return documents.find((document) => document.id === id)?.path;
}
