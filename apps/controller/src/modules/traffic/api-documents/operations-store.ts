import type { Db } from '@flotilla/db';
import type { DocumentOperation } from './model/document.ts';

const PART = 2000;

interface VersionId {
  readonly id: string;
  readonly number: number;
}

/** Reads the operations of a version in parts, in their order, so that other requests run in between. */
export function readOperations(db: Db, projectId: string, version: VersionId) {
  return readInParts<DocumentOperation & Place>((after) =>
    selectAfter(db, projectId, { ...version, after })
      .select(['ordinal', 'method', 'path', 'facts'])
      .execute(),
  );
}

/** Reads the methods and paths alone. */
export function readPaths(db: Db, projectId: string, version: VersionId) {
  return readInParts<Pick<DocumentOperation, 'method' | 'path'> & Place>((after) =>
    selectAfter(db, projectId, { ...version, after })
      .select(['ordinal', 'method', 'path'])
      .execute(),
  );
}

interface Place {
  readonly ordinal: number;
}

async function* readInParts<Row extends Place>(
  read: (after: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after = -1; ; ) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    if (rows.length < PART) return;
    after = rows.at(-1)?.ordinal ?? after;
  }
}

function selectAfter(db: Db, projectId: string, { id, number, after }: VersionId & { readonly after: number }) {
  return db
    .selectFrom('api_document_operations')
    .where('project_id', '=', projectId)
    .where('document_id', '=', id)
    .where('number', '=', number)
    .where('ordinal', '>', after)
    .orderBy('ordinal')
    .limit(PART);
}
