import type { Tx } from '@flotilla/db';
import { deleteDocuments, lockScope, type Scope } from './store.ts';

/** Locks the documents of a scope for a change that other modules make. See `lockScope`. */
export async function lockDocuments(tx: Tx, scope: Scope): Promise<void> {
  await lockScope(tx, scope);
}

/** Deletes documents with their revisions and references. The caller has locked their scope and checked their users. */
export async function discardDocuments(tx: Tx, ids: readonly string[]): Promise<void> {
  await deleteDocuments(tx, ids);
}
