import { createHash } from 'node:crypto';
import { fail } from '@flotilla/contract';
import type { RequestContext } from './context.ts';

/** `If-Match: *`, `If-None-Match: *`: any revision. */
export const ANY_REVISION = '*';

/**
 * Applies `If-Match` and `If-None-Match` (412): throws record.stale if the caller read another revision, and
 * record.present if the caller requires that the record does not exist. Call it in the transaction with the revision of
 * the locked row (`for update`), before any change.
 */
export function requireMatch(
  { ifMatch, ifNoneMatch }: Pick<RequestContext, 'ifMatch' | 'ifNoneMatch'>,
  kind: string,
  state: number | string | NamedState,
): void {
  const revision = typeof state === 'object' ? state.revision : state;
  const own = typeof state === 'object' ? [tagOf(state), String(revision)] : [String(revision)];
  const names = (tags: readonly string[]) => tags.includes(ANY_REVISION) || own.some((tag) => tags.includes(tag));
  if (ifMatch && !names(ifMatch)) throw fail('record.stale', { kind, revision });
  if (ifNoneMatch && names(ifNoneMatch)) throw fail('record.present', { kind, revision });
}

/** A record that is found by its name. */
interface NamedState {
  readonly id: string;
  readonly revision: number;
}

/**
 * The ETag of such a record. If a record is deleted and created again, its revisions restart but its ETags do not. The
 * revision alone is accepted too, because callers find it in the body.
 */
export function tagOf({ id, revision }: NamedState): string {
  return `${revision}.${id.slice(-12)}`;
}

/**
 * Parses the tags of `If-Match` or `If-None-Match`. A compressing proxy makes a tag weak; it still names the same
 * revision.
 */
export function parseTags(header: string | undefined): readonly string[] | undefined {
  return header?.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"?(.*?)"?$/, '$1'));
}

/** The revision of a record without a counter: a digest of its content. */
export function revisionOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
