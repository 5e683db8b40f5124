import { discoveryTokenRoutes } from '@flotilla/contract';
import { createSecret } from '@flotilla/kit';
import { implement, type Route } from '../../../platform/http/route.ts';
import { rotateSecret } from '../../../platform/tokens/index.ts';
import { requireSession } from '../users/index.ts';
import { deleteServiceToken, findServiceToken, lockServiceToken } from './store.ts';

/** Lets secret scanners find leaked tokens, and people distinguish them from others. */
const PREFIX = 'fltd_';
/** Characters that lists show: the prefix and six of 43 random ones. */
const SHOWN_LENGTH = PREFIX.length + 6;

export function createServiceTokenRoutes(): Route[] {
  return [
    implement(discoveryTokenRoutes.get, async (ctx) => {
      const { id: _, ...body } = await findServiceToken(
        ctx.db,
        { projectId: ctx.project.id, kind: 'discovery' },
        ctx.now,
      );
      return { body };
    }),
    implement(discoveryTokenRoutes.generate, (ctx, { body: { overlap_s } }) => {
      const actor = requireSession(ctx.actor);
      const { project, now } = ctx;
      const of = { projectId: project.id, kind: 'discovery' } as const;
      const secret = PREFIX + createSecret(32);
      const prefix = secret.slice(0, SHOWN_LENGTH);
      return ctx.write(async (tx) => {
        const tokenId = await lockServiceToken(tx, of, { name: actor.name, now });
        await rotateSecret(tx, { ...of, tokenId, issuedTo: actor.id, secret, prefix, now }, overlap_s);
        const { id, ...view } = await findServiceToken(tx, of, now);
        return {
          reply: { body: ctx.dryRun ? view : { ...view, token: secret }, location: discoveryTokenRoutes.get.path },
          audit: { type: 'discovery_token', id, name: prefix, changes: { overlap_s, prefix } },
        };
      });
    }),
    implement(discoveryTokenRoutes.delete, (ctx) => {
      requireSession(ctx.actor);
      return ctx.write(async (tx) => {
        const {
          id,
          secrets: [newest],
        } = await findServiceToken(tx, { projectId: ctx.project.id, kind: 'discovery' }, ctx.now);
        await deleteServiceToken(tx, id);
        return { reply: {}, audit: { type: 'discovery_token', id, ...(newest && { name: newest.prefix }) } };
      });
    }),
  ];
}
