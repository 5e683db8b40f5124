import {
  API_DOCUMENT_PROJECT_OPERATIONS_MAX,
  API_DOCUMENT_VERSIONS_MAX,
  API_DOCUMENTS_MAX,
  failApiDocument,
} from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import type { DocumentHead } from './model/document.ts';

export interface ScopeValues {
  readonly listener_name: string;
  readonly host_prefixes: readonly string[] | null;
  readonly path_prefixes: readonly string[] | null;
}

export interface NewVersion {
  readonly head: DocumentHead;
  /** JSON of lists of operations. */
  readonly operations: readonly string[];
  readonly file: Buffer;
  readonly sha256: string;
  readonly by: string;
  readonly now: Date;
}

export interface LockedDocument {
  readonly id: string;
  readonly name: string;
  readonly lastNumber: number;
  /** Null: new, or deleted. */
  readonly currentNumber: number | null;
  readonly revision: number;
}

const LOCKED = ['id', 'name', 'last_number', 'current_number', 'revision'] as const;

/** Finds or creates the document with this name, and locks it until the transaction ends. Throws api_document.too_many. */
export async function lockByName(
  tx: Tx,
  { projectId, name, by, now }: { projectId: string; name: string; by: string; now: Date },
): Promise<LockedDocument> {
  // Two imports with new names count the documents one after the other.
  await tx.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
  await tx
    .insertInto('api_documents')
    .values({
      id: createId(now.getTime()),
      project_id: projectId,
      name,
      name_key: name.toLowerCase(),
      last_number: 0,
      current_number: null,
      listener_name: '',
      host_prefixes: null,
      path_prefixes: null,
      created_at: now,
      updated_at: now,
      updated_by: by,
      revision: 0,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name_key']).doNothing())
    .execute();
  const found = await tx
    .selectFrom('api_documents')
    .select(LOCKED)
    .where('project_id', '=', projectId)
    .where('name_key', '=', name.toLowerCase())
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (found.current_number === null) await requireSpace(tx, projectId);
  return toLocked(found);
}

async function requireSpace(tx: Tx, projectId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('api_documents')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .where('current_number', 'is not', null)
    .executeTakeFirstOrThrow();
  if (count >= API_DOCUMENTS_MAX) throw failApiDocument('api_document.too_many', { max: API_DOCUMENTS_MAX });
}

/** A version that is deleted may make a larger one current, so the largest counts. Throws api_document.too_many_operations. */
async function requireOperations(tx: Tx, projectId: string, added: { readonly id: string; readonly count: number }) {
  const largest = tx
    .selectFrom('api_document_versions')
    .select(['document_id', sql<number>`max(operation_count)`.as('operations')])
    .where('project_id', '=', projectId)
    .groupBy('document_id')
    .as('l');
  const { others, own } = await tx
    .selectFrom(largest)
    .select([
      sql<number>`coalesce(sum(l.operations) filter (where l.document_id <> ${added.id}), 0)::int`.as('others'),
      sql<number>`coalesce(max(l.operations) filter (where l.document_id = ${added.id}), 0)::int`.as('own'),
    ])
    .executeTakeFirstOrThrow();
  const [count, max] = [others + Math.max(own, added.count), API_DOCUMENT_PROJECT_OPERATIONS_MAX];
  if (count > max) throw failApiDocument('api_document.too_many_operations', { count, max });
}

/** Stores a version, makes it current and deletes the oldest ones beyond the limit. Returns its number. Throws api_document.too_many_operations. */
export async function insertVersion(
  tx: Tx,
  { projectId, document, name }: { projectId: string; document: LockedDocument; name: string },
  { head, operations, file, sha256, by, now }: NewVersion,
): Promise<number> {
  await requireOperations(tx, projectId, { id: document.id, count: head.operationCount });
  const number = document.lastNumber + 1;
  await tx
    .insertInto('api_document_versions')
    .values({
      project_id: projectId,
      document_id: document.id,
      number,
      format: head.format,
      title: head.title,
      document_version: head.documentVersion,
      servers: JSON.stringify(head.servers),
      key_query: [...head.keyQuery],
      warnings: JSON.stringify(head.warnings),
      operation_count: head.operationCount,
      deprecated_count: head.deprecatedCount,
      file,
      sha256,
      imported_at: now,
      imported_by: by,
    })
    .execute();
  await insertOperations(tx, { projectId, documentId: document.id, number, operations });
  // A document that was deleted returns as a new one.
  const isNew = document.currentNumber === null;
  await tx
    .updateTable('api_documents')
    .set({
      name,
      last_number: number,
      current_number: number,
      updated_at: now,
      updated_by: by,
      revision: document.revision + 1,
      ...(isNew && { created_at: now }),
    })
    .where('id', '=', document.id)
    .execute();
  await deleteOldest(tx, document.id, number);
  return number;
}

async function insertOperations(
  tx: Tx,
  given: { projectId: string; documentId: string; number: number; operations: readonly string[] },
): Promise<void> {
  const { projectId, documentId, number, operations } = given;
  let first = 0;
  for (const part of operations) {
    const { numAffectedRows = 0n } = await sql`
      insert into api_document_operations (project_id, document_id, number, ordinal, method, path, facts)
      select ${projectId}::uuid, ${documentId}::uuid, ${number}::int, ${first}::int + place - 1, one ->> 'method', one ->> 'path', one -> 'facts'
      from jsonb_array_elements(${part}::jsonb) with ordinality listed (one, place)`.execute(tx);
    first += Number(numAffectedRows);
  }
}

async function deleteOldest(tx: Tx, documentId: string, current: number): Promise<void> {
  await sql`
    delete from api_document_versions v using (
      select number, row_number() over (order by number desc) as place from api_document_versions
      where document_id = ${documentId}
    ) ranked
    where v.document_id = ${documentId} and v.number = ranked.number and v.number <> ${current}
      and ranked.place > ${API_DOCUMENT_VERSIONS_MAX}`.execute(tx);
}

export async function updateScope(
  tx: Tx,
  id: string,
  { scope, by, now }: { readonly scope: ScopeValues; readonly by: string; readonly now: Date },
): Promise<void> {
  const { listener_name, host_prefixes, path_prefixes } = scope;
  await tx
    .updateTable('api_documents')
    .set((eb) => ({
      listener_name,
      host_prefixes: host_prefixes && [...host_prefixes],
      path_prefixes: path_prefixes && [...path_prefixes],
      updated_at: now,
      updated_by: by,
      revision: eb('revision', '+', 1),
    }))
    .where('id', '=', id)
    .execute();
}

/** Keeps the row, with the numbers that were used. The scope begins again. */
export async function deleteDocument(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.deleteFrom('api_document_versions').where('document_id', '=', id).execute();
  await tx
    .updateTable('api_documents')
    .set((eb) => ({
      current_number: null,
      listener_name: '',
      host_prefixes: null,
      path_prefixes: null,
      updated_at: now,
      revision: eb('revision', '+', 1),
    }))
    .where('id', '=', id)
    .execute();
}

/** After the current version the newest other one becomes current, and the document ends after the last one. */
export async function deleteVersion(
  tx: Tx,
  { id, number }: { readonly id: string; readonly number: number },
  { by, now }: { readonly by: string; readonly now: Date },
): Promise<number | null> {
  await tx.deleteFrom('api_document_versions').where('document_id', '=', id).where('number', '=', number).execute();
  const newest = await tx
    .selectFrom('api_document_versions')
    .select('number')
    .where('document_id', '=', id)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) {
    await deleteDocument(tx, id, now);
    return null;
  }
  await tx
    .updateTable('api_documents')
    .set((eb) => ({
      current_number: eb
        .case()
        .when('current_number', '=', number)
        .then(newest.number)
        .else(eb.ref('current_number'))
        .end(),
      updated_at: now,
      updated_by: by,
      revision: eb('revision', '+', 1),
    }))
    .where('id', '=', id)
    .execute();
  return newest.number;
}

/** Locks a document that exists. */
export async function lockDocument(tx: Tx, projectId: string, id: string): Promise<LockedDocument | undefined> {
  const found = await tx
    .selectFrom('api_documents')
    .select(LOCKED)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('current_number', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
  return found && toLocked(found);
}

function toLocked(row: {
  readonly id: string;
  readonly name: string;
  readonly last_number: number;
  readonly current_number: number | null;
  readonly revision: number;
}): LockedDocument {
  const { id, name, revision, last_number: lastNumber, current_number: currentNumber } = row;
  return { id, name, lastNumber, currentNumber, revision };
}
