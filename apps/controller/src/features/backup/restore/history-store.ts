import type { DocumentRevisionsTable, PolicyRevisionsTable, Tx } from '@flotilla/db';
import type { Insertable } from 'kysely';

const CHUNK = 200;

interface Stamp {
  readonly revision: number;
  readonly created_at: string;
  readonly created_by: string;
}

/** Of a document that was made a moment ago: its only revision becomes the given one. */
export async function renumberDocument(tx: Tx, id: string, { revision, created_at, created_by }: Stamp): Promise<void> {
  await tx
    .updateTable('document_revisions')
    .set({ revision, created_at, created_by })
    .where('document_id', '=', id)
    .execute();
  await tx.updateTable('documents').set({ revision }).where('id', '=', id).execute();
}

/** As of a document. */
export async function renumberPolicy(tx: Tx, id: string, { revision, created_at, created_by }: Stamp): Promise<void> {
  await tx
    .updateTable('policy_revisions')
    .set({ revision, created_at, created_by })
    .where('policy_id', '=', id)
    .execute();
  await tx.updateTable('policies').set({ revision }).where('id', '=', id).execute();
}

export async function insertDocumentRevisions(
  tx: Tx,
  rows: readonly Insertable<DocumentRevisionsTable>[],
): Promise<void> {
  for (let i = 0; i < rows.length; i += CHUNK)
    await tx
      .insertInto('document_revisions')
      .values(rows.slice(i, i + CHUNK))
      .execute();
}

export async function insertPolicyRevisions(tx: Tx, rows: readonly Insertable<PolicyRevisionsTable>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += CHUNK)
    await tx
      .insertInto('policy_revisions')
      .values(rows.slice(i, i + CHUNK))
      .execute();
}
