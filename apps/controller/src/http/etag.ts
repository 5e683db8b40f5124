import { createHash } from 'node:crypto';
import { fail } from '@flotilla/contract';
import type { RequestContext } from './context.ts';

/** `If-Match: *`, `If-None-Match: *`: any revision. */
export const ANY_REVISION = '*';

/**
 * Honours `If-Match` and `If-None-Match` (412): throws record.stale when the caller has read another revision than the one
 * there is, and record.present when the caller wants no record that is there changed. Call it in the transaction, with the
 * revision of the locked row (`for update`), before anything is changed.
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

/** Of a record that is found by its name. */
interface NamedState {
  readonly id: string;
  readonly revision: number;
}

/**
 * The ETag of such a record: of one that is deleted and made anew the revisions begin again, the ETags do not. The revision
 * alone is taken as well, from whoever has it from the body.
 */
export function tagOf({ id, revision }: NamedState): string {
  return `${revision}.${id.slice(-12)}`;
}

/** The tags of `If-Match` or `If-None-Match`. A proxy that compresses makes a tag weak: it is still of the same revision. */
export function parseTags(header: string | undefined): readonly string[] | undefined {
  return header?.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"?(.*?)"?$/, '$1'));
}

/** The revision of a record that counts none: another one for every other content. */
export function revisionOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
