import { ApiError } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import type { DocumentRow } from './rows.ts';

const text = texts.resources.deleteDialog;

/** A document as whoever deletes it has read it. */
export type ReadDocument = Pick<DocumentRow, 'id' | 'revision' | 'collection' | 'name' | 'version'>;

/** Deletes these and no other: one that was changed since, or made anew under its name, holds all of them back. */
export function toDeletion(project: string, documents: readonly ReadDocument[]) {
  const keys = documents.map(({ id, revision, collection, name, version }) => ({
    id,
    revision,
    collection,
    name,
    version,
  }));
  return { project, documents: [], delete: keys };
}

/** A refusal because documents have changed names them; any other is as it came. */
export function nameChanged(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { errors = [] } = error.body as { errors?: readonly { code: string; name?: string; version?: string }[] };
  const changed = errors.filter(({ code }) => code === 'record.stale');
  if (changed.length === 0 || changed.length < errors.length) return error;
  const names = changed.map(({ name, version }) => `${name} (${version})`);
  return new ApiError(error.status, { ...error.body, message: text.changed(names), details: [] });
}
