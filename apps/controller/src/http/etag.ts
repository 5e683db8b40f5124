import { createHash } from 'node:crypto';
import { fail } from '@flotilla/contract';
import type { RequestContext } from './context.ts';

/**
 * Honours `If-Match`: throws record.stale (412) when the caller has read another revision than the one there is. Call it
 * in the transaction, with the revision of the locked row (`for update`), before anything is changed.
 */
export function requireMatch(ctx: Pick<RequestContext, 'ifMatch'>, kind: string, revision: number | string): void {
  if (ctx.ifMatch && !ctx.ifMatch.includes(String(revision))) throw fail('record.stale', { kind, revision });
}

/** The revision of a record that counts none: another one for every other content. */
export function revisionOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
