import { failCleanUp } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import { checkBatch, type WrittenDocument } from './batch.ts';
import { checkDraft } from './checks.ts';
import { replaceNames, replaceReferences } from './reference-store.ts';
import type { DocumentServiceDeps } from './service.ts';
import type { DocumentKey, DocumentRow, Scope } from './store.ts';
import { fullResource, openDocument } from './write-one.ts';

/**
 * Rebuilds names and references of restored documents and runs every check of a write, in the restoring transaction and
 * under the scope's lock. Throws clean_up.not_possible.
 */
export async function checkRevived(
  { envoyApis, keyring }: Pick<DocumentServiceDeps, 'envoyApis' | 'keyring'>,
  tx: Tx,
  scope: Scope,
  rows: readonly DocumentRow[],
): Promise<void> {
  const api = await envoyApis.get(scope.version);
  const written: WrittenDocument[] = [];
  for (const row of rows) {
    const { id, type } = row;
    const key = row as DocumentKey;
    const { collection, name } = key;
    const draft = {
      collection,
      name,
      version: scope.version,
      type,
      resource: fullResource(openDocument(keyring, row)),
    };
    // Access to the host was checked when the document was written.
    const checked = refuseAs(key, () => checkDraft(api, draft, { mayReachHost: true }));
    await replaceReferences(tx, { ...scope, id, collection, name }, checked.references);
    await replaceNames(tx, { ...scope, id }, checked.defines);
    written.push({ collection, name, id, checked, referredBefore: [] });
  }
  const [problem] = await checkBatch(tx, scope, { written, lostNames: [], reader: undefined });
  if (!problem) return;
  const key = written.find(({ id }) => id === problem.id) ?? written[0];
  throw failNotPossible(key, problem.error);
}

function refuseAs<T>(key: DocumentKey, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw failNotPossible(key, error);
  }
}

function failNotPossible(key: DocumentKey | undefined, error: AppError): AppError {
  const { name = '', collection = '' } = key ?? {};
  return failCleanUp('clean_up.not_possible', { name, kind: collection, reason: error.message });
}
