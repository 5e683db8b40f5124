import { apiTokenRoutes, failIdentity, isRoleAtLeast } from '@flotilla/contract';
import { createId, createSecret } from '@flotilla/kit';
import { implement, type Route } from '../../http/route.ts';
import { API_TOKEN_PREFIX, hashApiToken } from '../sessions/index.ts';
import { requireSession } from '../users/index.ts';
import { deleteToken, findToken, insertToken, listTokens } from './store.ts';

/** Characters of the token that stay readable in lists: the kind's prefix and six of 43 random ones. */
const SHOWN_LENGTH = API_TOKEN_PREFIX.length + 6;

export function createApiTokenRoutes(): Route[] {
  return [
    implement(apiTokenRoutes.list, async (ctx, { query }) => ({
      body: await listTokens(ctx.db, ctx.project.id, query),
    })),
    implement(apiTokenRoutes.create, (ctx, { body }) => {
      const actor = requireSession(ctx.actor);
      const { project } = ctx;
      if (!isRoleAtLeast(project.role, body.role)) {
        throw failIdentity('role.too_high', { role: body.role, own: project.role });
      }
      const expiresAt = body.expires_at ? new Date(body.expires_at) : null;
      if (expiresAt && expiresAt <= ctx.now) throw failIdentity('token.expiry_past');
      const token = API_TOKEN_PREFIX + createSecret(32);
      const id = createId(ctx.now.getTime());
      return ctx.write(async (tx) => {
        await insertToken(tx, {
          id,
          projectId: project.id,
          name: body.name,
          role: body.role,
          prefix: token.slice(0, SHOWN_LENGTH),
          hash: hashApiToken(token),
          createdBy: actor.id,
          createdAt: ctx.now,
          expiresAt,
        });
        const view = await findToken(tx, project.id, id);
        return {
          reply: { body: ctx.dryRun ? view : { ...view, token }, location: `${apiTokenRoutes.create.path}/${id}` },
          audit: {
            type: 'api_token',
            id,
            name: body.name,
            changes: { role: body.role, expires_at: view.expires_at, prefix: view.prefix },
          },
        };
      });
    }),
    implement(apiTokenRoutes.delete, (ctx, { params }) => {
      requireSession(ctx.actor);
      return ctx.write(async (tx) => {
        const token = await findToken(tx, ctx.project.id, params.token_id);
        await deleteToken(tx, token.id);
        return { reply: {}, audit: { type: 'api_token', id: token.id, name: token.name } };
      });
    }),
  ];
}
