import type { Collection } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { type Selectable, sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';
import { deriveFacts } from './facts.ts';
import type { CommentEntry, DocumentsTable, PrivateEntry } from './tables.ts';

export type DocumentRow = Selectable<DocumentsTable>;

export interface DocumentKey {
  readonly collection: Collection;
  readonly name: string;
}

/** The documents of one project for one proxy version. References never leave a scope. */
export interface Scope {
  readonly project: string;
  readonly version: string;
}

/**
 * Held to the end of the transaction by everyone who writes documents of a scope or references to them, so that checks
 * stay true until the commit: no reference can appear while its target is deleted.
 */
export async function lockScope(tx: Tx, scope: Scope): Promise<void> {
  const key = `documents ${scope.project.toLowerCase()} ${scope.version}`;
  await takeLock(tx, key);
}

export async function findDocument(db: Db, scope: Scope, key: DocumentKey): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('documents')
    .selectAll()
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version)
    .where('collection', '=', key.collection)
    .where('name', '=', key.name)
    .executeTakeFirst();
}

export async function findDocuments(db: Db, scope: Scope, keys: readonly DocumentKey[]): Promise<DocumentRow[]> {
  if (keys.length === 0) return [];
  return db
    .selectFrom('documents')
    .selectAll()
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version)
    .where(isOneOf(keys, 'collection', 'name'))
    .execute();
}

/** Documents of a scope that have all these labels. */
export async function findLabelled(
  db: Db,
  scope: Scope,
  labels: Readonly<Record<string, string>>,
): Promise<DocumentRow[]> {
  return db
    .selectFrom('documents')
    .selectAll()
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version)
    .where(sql<boolean>`labels @> ${JSON.stringify(labels)}::jsonb`)
    .execute();
}

export interface DocumentContent {
  readonly type: string;
  readonly description: string | null;
  readonly labels: Record<string, string>;
  readonly visible: JsonObject;
  readonly sealed: Buffer | null;
  readonly private: PrivateEntry[];
  readonly comments: CommentEntry[];
}

export interface WriteStamp {
  readonly at: Date;
  readonly by: string;
}

/** The writer of a document, and whether they may use features that access the host. */
export interface Writer {
  readonly stamp: WriteStamp;
  readonly mayReachHost: boolean;
}

export async function insertDocument(
  tx: Tx,
  row: Scope & DocumentKey & { id: string; content: DocumentContent },
  { stamp, mayReachHost }: Writer,
): Promise<DocumentRow> {
  const stored = await tx
    .insertInto('documents')
    .values({
      id: row.id,
      project_id: row.project,
      version: row.version,
      collection: row.collection,
      name: row.name,
      ...toColumns(row.content),
      facts: JSON.stringify(deriveFacts(row.collection, row.content.visible)),
      created_at: stamp.at,
      updated_at: stamp.at,
      updated_by: stamp.by,
      host_access: mayReachHost,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertRevision(tx, stored, row.content, stamp);
  return stored;
}

export async function updateDocument(
  tx: Tx,
  { id, collection, content }: { id: string; collection: Collection; content: DocumentContent },
  { stamp, mayReachHost }: Writer,
): Promise<DocumentRow> {
  const facts = JSON.stringify(deriveFacts(collection, content.visible));
  const stored = await tx
    .updateTable('documents')
    .set({ ...toColumns(content), facts, updated_at: stamp.at, updated_by: stamp.by, host_access: mayReachHost })
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertRevision(tx, stored, content, stamp);
  return stored;
}

async function insertRevision(tx: Tx, row: DocumentRow, content: DocumentContent, stamp: WriteStamp): Promise<void> {
  await tx
    .insertInto('document_revisions')
    .values({
      document_id: row.id,
      revision: row.revision,
      ...toColumns(content),
      created_at: stamp.at,
      created_by: stamp.by,
    })
    .execute();
}

function toColumns(content: DocumentContent) {
  return {
    type: content.type,
    description: content.description,
    labels: JSON.stringify(content.labels),
    resource: JSON.stringify(content.visible),
    sealed: content.sealed,
    private: JSON.stringify(content.private),
    comments: JSON.stringify(content.comments),
  };
}

export async function deleteDocuments(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom('document_references').where('from_id', 'in', ids).execute();
  await tx.deleteFrom('documents').where('id', 'in', ids).execute();
}

/** Rows whose collection and name are one of these pairs. */
export function isOneOf(keys: readonly { collection: string; name: string }[], collection: string, name: string) {
  return sql<boolean>`(${sql.ref(collection)}, ${sql.ref(name)}) in (
    select * from unnest(${keys.map((key) => key.collection)}::text[], ${keys.map((key) => key.name)}::text[])
  )`;
}

export async function findRevision(db: Db | Tx, documentId: string, revision: number) {
  return db
    .selectFrom('document_revisions')
    .selectAll()
    .where('document_id', '=', documentId)
    .where('revision', '=', revision)
    .executeTakeFirst();
}

export async function listDefinedNames(tx: Tx, documentId: string): Promise<DocumentKey[]> {
  const rows = await tx
    .selectFrom('document_names')
    .select(['collection', 'name'])
    .where('document_id', '=', documentId)
    .execute();
  return rows as DocumentKey[];
}

/** Those of the given names that a document of the scope defines. */
export async function findDefined(db: Db, scope: Scope, names: readonly DocumentKey[]): Promise<DocumentKey[]> {
  const rows = await db
    .selectFrom('document_names')
    .select(['collection', 'name'])
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version)
    .where(isOneOf(names, 'collection', 'name'))
    .execute();
  return rows as DocumentKey[];
}
