import { fail } from '@flotilla/contract';
import type { RequestContext } from './context.ts';

/**
 * Honours `If-Match`: throws record.stale (412) when the caller has read another revision than the one there is. Call it
 * in the transaction, with the revision of the locked row (`for update`), before anything is changed.
 */
export function requireMatch(ctx: Pick<RequestContext, 'ifMatch'>, kind: string, revision: number): void {
  if (ctx.ifMatch && !ctx.ifMatch.includes(String(revision))) throw fail('record.stale', { kind, revision });
}
