import { ApiError } from '../../api/index.ts';
import type { DocumentRow } from './rows.ts';
import { texts } from './texts.tsx';

const text = texts.deleteDialog;

/** A document in the revision that the user read. */
export type ReadDocument = Pick<DocumentRow, 'id' | 'revision' | 'collection' | 'name' | 'version'>;

/** Returns the body that deletes exactly these documents: one that was changed or recreated since blocks all. */
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

/** A reference that blocks the deletion. */
export interface Hindrance {
  readonly id: string;
  readonly collection: string;
  readonly name: string;
}

export interface UsedDocument {
  readonly name: string;
  readonly version: string;
  /** References that the user may see; there may be more. */
  readonly users: readonly Hindrance[];
}

/** Returns the documents in use and their users, if the refusal has no other reason. */
export function readUsed(error: unknown): readonly UsedDocument[] | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { errors = [] } = error.body as { errors?: readonly (UsedDocument & { readonly code: string })[] };
  if (errors.length === 0 || errors.some(({ code }) => code !== 'record.in_use')) return undefined;
  // Several references from one document count once.
  return errors.map(({ name, version, users }) => ({
    name,
    version,
    users: [...new Map(users.map((user) => [user.id, user])).values()],
  }));
}

/** Names the documents in a refusal because of changes; returns any other error unchanged. */
export function nameChanged(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { errors = [] } = error.body as { errors?: readonly { code: string; name?: string; version?: string }[] };
  const changed = errors.filter(({ code }) => code === 'record.stale');
  if (changed.length === 0 || changed.length < errors.length) return error;
  const names = changed.map(({ name, version }) => `${name} (${version})`);
  return new ApiError(error.status, { ...error.body, message: text.changed(names), details: [] });
}
