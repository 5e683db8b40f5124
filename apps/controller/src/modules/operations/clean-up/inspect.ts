import { createHash } from 'node:crypto';
import type { CleanUpMode, CleanUpPreview } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { Scope } from '../../configuration/public.ts';
import { listBlockers, listOldDocuments, type OldDocument } from './store.ts';

export interface Inspected {
  readonly documents: readonly OldDocument[];
  readonly preview: CleanUpPreview;
}

/** Names per collection; the counts cover the rest. */
const NAMES_MAX = 200;

/** The result that a clean-up would have now. */
export async function inspectVersion(db: Db, scope: Scope, mode: CleanUpMode): Promise<Inspected> {
  const documents = await listOldDocuments(db, scope, mode);
  const blockers = await listBlockers(
    db,
    scope,
    documents.map(({ id }) => id),
  );
  const content = [scope.project, scope.version, mode, documents.map(({ id, revision }) => [id, revision]), blockers];
  const names: Record<string, string[]> = {};
  const counts: Record<string, number> = {};
  for (const { collection, name } of documents) {
    counts[collection] = (counts[collection] ?? 0) + 1;
    const listed = names[collection] ?? [];
    names[collection] = listed;
    if (listed.length < NAMES_MAX) listed.push(name);
  }
  const preview = {
    version: scope.version,
    mode,
    digest: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
    counts,
    total: documents.length,
    names,
    blocked_by: blockers,
  };
  return { documents, preview };
}
