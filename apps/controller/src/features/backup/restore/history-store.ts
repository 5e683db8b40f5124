import type { DocumentRevisionsTable, PolicyRevisionsTable, Tx } from '@flotilla/db';
import { type Insertable, sql } from 'kysely';

const CHUNK = 200;

interface Stamp {
  readonly revision: number;
  readonly created_at: string;
  readonly created_by: string;
}

const HISTORIES = {
  documents: { revisions: 'document_revisions', via: 'document_id' },
  policies: { revisions: 'policy_revisions', via: 'policy_id' },
} as const;

/** Of what was made a moment ago: its only revision becomes the given one. */
export async function renumber(
  tx: Tx,
  { kind, id }: { readonly kind: keyof typeof HISTORIES; readonly id: string },
  { revision, created_at: at, created_by: by }: Stamp,
): Promise<void> {
  const { revisions, via } = HISTORIES[kind];
  await sql`update ${sql.table(revisions)} set revision = ${revision}, created_at = ${at}, created_by = ${by}
    where ${sql.ref(via)} = ${id}`.execute(tx);
  await sql`update ${sql.table(kind)} set revision = ${revision} where id = ${id}`.execute(tx);
}

export function insertDocumentRevisions(tx: Tx, rows: readonly Insertable<DocumentRevisionsTable>[]): Promise<void> {
  return inChunks(rows, (some) => tx.insertInto('document_revisions').values(some).execute());
}

export function insertPolicyRevisions(tx: Tx, rows: readonly Insertable<PolicyRevisionsTable>[]): Promise<void> {
  return inChunks(rows, (some) => tx.insertInto('policy_revisions').values(some).execute());
}

async function inChunks<Row>(rows: readonly Row[], write: (some: readonly Row[]) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < rows.length; i += CHUNK) await write(rows.slice(i, i + CHUNK));
}
