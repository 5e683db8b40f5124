import { isDeepStrictEqual } from 'node:util';
import {
  type ApiTokenView,
  apiTokenRoutes,
  apiTokenSchema,
  failIdentity,
  isRoleAtLeast,
  type Role,
} from '@flotilla/contract';
import { createId, createSecret } from '@flotilla/kit';
import { diffForAudit } from '../../../platform/http/audit-diff.ts';
import type { ProjectScope } from '../../../platform/http/context.ts';
import { requireMatch, revisionOf } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { API_TOKEN_PREFIX, issueSecret, rotateSecret } from '../../../platform/tokens/index.ts';
import { requireSession } from '../users/index.ts';
import { requireNarrower } from './narrowing.ts';
import { deleteToken, findToken, insertToken, listTokens, lockToken, updateToken } from './store.ts';
import type { TokenPolicy } from './token-policy.ts';

/** Characters of the token that lists show: the prefix and six of 43 random ones. */
const SHOWN_LENGTH = API_TOKEN_PREFIX.length + 6;

const KIND = 'API token';

export function createApiTokenRoutes(policy: TokenPolicy): Route[] {
  return [
    implement(apiTokenRoutes.list, async (ctx, { query }) => ({
      body: await listTokens(ctx.db, ctx.project.id, query),
    })),
    implement(apiTokenRoutes.get, async (ctx, { params }) => {
      const body = await findToken(ctx.db, ctx.project.id, params.token_id);
      return { body, etag: contentTagOf(body) };
    }),
    serveCreate(policy),
    servePatch(policy),
    serveRotate(policy),
    implement(apiTokenRoutes.delete, (ctx, { params }) => {
      requireSession(ctx.actor);
      return ctx.write(async (tx) => {
        const token = await lockToken(tx, ctx.project.id, params.token_id);
        requireMatch(ctx, KIND, contentTagOf(token));
        await deleteToken(tx, token.id);
        return { reply: {}, audit: { type: 'api_token', id: token.id, name: token.name } };
      });
    }),
  ];
}

function serveCreate(policy: TokenPolicy): Route {
  return implement(apiTokenRoutes.create, (ctx, { body }) => {
    const actor = requireSession(ctx.actor);
    const { project } = ctx;
    requireRole(project, body.role);
    const { expiresAt, families } = policy.complete(body, ctx.now);
    const fresh = createToken();
    const id = createId(ctx.now.getTime());
    return ctx.write(async (tx) => {
      await insertToken(tx, {
        id,
        projectId: project.id,
        name: body.name,
        description: body.description ?? null,
        role: body.role,
        families,
        createdBy: actor.id,
        createdAt: ctx.now,
        expiresAt,
      });
      const of = { kind: 'api', tokenId: id, projectId: project.id, issuedTo: actor.id } as const;
      await issueSecret(tx, { ...of, ...fresh, now: ctx.now });
      const view = await findToken(tx, project.id, id);
      const { role, expires_at, prefix } = view;
      return {
        reply: {
          body: ctx.dryRun ? view : { ...view, token: fresh.secret },
          etag: contentTagOf(view),
          location: `${apiTokenRoutes.create.path}/${id}`,
        },
        audit: { type: 'api_token', id, name: body.name, changes: { role, families, expires_at, prefix } },
      };
    });
  });
}

function servePatch(policy: TokenPolicy): Route {
  return implement(apiTokenRoutes.patch, (ctx, { params, body }) => {
    requireSession(ctx.actor);
    return ctx.write(async (tx) => {
      const before = await lockToken(tx, ctx.project.id, params.token_id);
      requireMatch(ctx, KIND, contentTagOf(before));
      requireNarrower(before, body, ctx.now);
      const { expires_at, ...values } = body;
      if (expires_at !== undefined && expires_at !== before.expires_at) policy.requireEnd(expires_at, ctx.now);
      const isUnchanged = isDeepStrictEqual({ ...toComparable(before), ...body }, toComparable(before));
      if (!isUnchanged)
        await updateToken(tx, before, {
          ...values,
          ...(expires_at !== undefined && { expires_at: expires_at === null ? null : new Date(expires_at) }),
        });
      const after = await findToken(tx, ctx.project.id, before.id);
      const changes = diffForAudit(toComparable(before), toComparable(after), apiTokenSchema);
      return {
        reply: { body: after, etag: contentTagOf(after) },
        audit: { type: 'api_token', id: after.id, name: after.name, changes },
        isUnchanged,
      };
    });
  });
}

function serveRotate(policy: TokenPolicy): Route {
  return implement(apiTokenRoutes.rotate, (ctx, { params, body }) => {
    const actor = requireSession(ctx.actor);
    const { project } = ctx;
    const fresh = createToken();
    return ctx.write(async (tx) => {
      const token = await lockToken(tx, project.id, params.token_id);
      requireMatch(ctx, KIND, contentTagOf(token));
      // The caller learns a working secret, which must not give them more rights than they have.
      requireRole(project, token.role);
      policy.requireRotatable(token, ctx.now);
      const of = { kind: 'api', tokenId: token.id, projectId: project.id, issuedTo: actor.id } as const;
      await rotateSecret(tx, { ...of, ...fresh, now: ctx.now }, body.overlap_s);
      const view = await findToken(tx, project.id, token.id);
      return {
        reply: { body: ctx.dryRun ? view : { ...view, token: fresh.secret }, etag: contentTagOf(view) },
        audit: {
          type: 'api_token',
          id: token.id,
          name: token.name,
          changes: { overlap_s: body.overlap_s, prefix: [token.prefix, view.prefix] },
        },
      };
    });
  });
}

function createToken(): { secret: string; prefix: string } {
  const secret = API_TOKEN_PREFIX + createSecret(32);
  return { secret, prefix: secret.slice(0, SHOWN_LENGTH) };
}

function requireRole(project: ProjectScope, role: Role): void {
  if (!isRoleAtLeast(project.role, role)) throw failIdentity('role.too_high', { role, own: project.role });
}

/** Excludes the usage, which changes on its own. */
function contentTagOf({ id, name, description, role, families, prefix, expires_at }: ApiTokenView): string {
  return revisionOf([id, name, description, role, families, prefix, expires_at]);
}

/** The fields that PATCH changes, as comparable values. */
function toComparable({ name, description, families, expires_at }: ApiTokenView) {
  return { name, description, families, expires_at };
}
