import {
  ENROLMENT_TOKEN_TTL_DEFAULT_S,
  type EnrolmentTokenView,
  enrolmentRoutes,
  fail,
  failEnrolment,
} from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId, createSecret } from '@flotilla/kit';
import { formatEnrolmentToken } from '@flotilla/proto';
import { actorName, type RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { findHolder, listSecrets } from '../../../platform/tokens/index.ts';
import {
  deleteToken,
  findToken,
  insertToken,
  listTokens,
  lockToken,
  rotateToken,
  type ShownToken,
} from './token-store.ts';

export interface EnrolmentRouteOptions {
  /** Fingerprint of the authority's certificate. */
  readonly fingerprint: string;
  /** `HOST:PORT` that agents dial; read per request, because the port may be chosen when listening starts. */
  readonly controllerAddress: () => string;
}

/** Characters of a token that stay readable: the prefix and six random ones. */
const SHOWN_LENGTH = 11;

export function createEnrolmentRoutes(options: EnrolmentRouteOptions): Route[] {
  return [
    implement(enrolmentRoutes.listTokens, async (ctx, { query }) => {
      const { items, ...page } = await listTokens(ctx.db, { projectId: ctx.project.id, now: ctx.now }, query);
      return { body: { ...page, items: await toViews(ctx.db, items, ctx.now) } };
    }),
    implement(enrolmentRoutes.getToken, async (ctx, { params }) => {
      const row = await findToken(ctx.db, { projectId: ctx.project.id, now: ctx.now }, params.token_id);
      const [view] = await toViews(ctx.db, [row], ctx.now);
      return { body: view };
    }),
    serveCreateToken(options),
    serveRotateToken(options),
    implement(enrolmentRoutes.deleteToken, async (ctx, { params }) =>
      ctx.write(async (tx) => {
        const deleted = await deleteToken(tx, ctx.project.id, params.token_id);
        if (!deleted) throw notFound(params.token_id);
        return { reply: { status: 204 }, audit: aboutToken({ id: params.token_id, ...deleted }) };
      }),
    ),
  ];
}

function serveCreateToken(options: EnrolmentRouteOptions): Route {
  return implement(enrolmentRoutes.createToken, async (ctx, { body }) => {
    const { token, ...fresh } = createFresh(options);
    const { labels = {} } = body;
    const row = {
      id: createId(ctx.now.getTime()),
      project_id: ctx.project.id,
      note: body.note ?? null,
      labels,
      created_by: actorName(ctx),
      created_at: ctx.now,
      expires_at: new Date(ctx.now.getTime() + (body.ttl_s ?? ENROLMENT_TOKEN_TTL_DEFAULT_S) * 1000),
      used_at: null,
      used_by_client: null,
      used_key_digest: null,
    };
    return ctx.write(async (tx) => {
      await insertToken(
        tx,
        { ...row, labels: JSON.stringify(labels) },
        { ...fresh, issuedTo: await findCreator(ctx, tx) },
      );
      return {
        reply: {
          status: 201,
          location: `${enrolmentRoutes.createToken.path}/${row.id}`,
          body: await show(ctx, tx, { ...row, is_vouched_for: true }, { ...options, token }),
        },
        audit: { ...aboutToken(row), changes: { note: row.note, labels, expires_at: row.expires_at } },
      };
    });
  });
}

function serveRotateToken(options: EnrolmentRouteOptions): Route {
  return implement(enrolmentRoutes.rotateToken, async (ctx, { params, body: { overlap_s: overlapS } }) => {
    const { token, ...fresh } = createFresh(options);
    return ctx.write(async (tx) => {
      const row = await lockToken(tx, { projectId: ctx.project.id, id: params.token_id, now: ctx.now });
      if (!row) throw notFound(params.token_id);
      const status = statusOf(row, ctx.now);
      if (status !== 'open') throw failEnrolment('enrolment.token_closed', { status });
      await rotateToken(tx, row, { ...fresh, issuedTo: await findCreator(ctx, tx), overlapS, now: ctx.now });
      return {
        reply: { body: await show(ctx, tx, row, { ...options, token }) },
        audit: { ...aboutToken(row), changes: { overlap_s: overlapS, prefix: fresh.prefix } },
      };
    });
  });
}

function createFresh({ fingerprint }: Pick<EnrolmentRouteOptions, 'fingerprint'>) {
  const secret = createSecret();
  const token = formatEnrolmentToken({ secret, fingerprint });
  return { token, secret, prefix: token.slice(0, SHOWN_LENGTH) };
}

/** The view with the token, which no other answer contains. */
async function show(
  ctx: RequestContext,
  tx: Tx,
  row: ShownToken,
  { fingerprint, controllerAddress, token }: EnrolmentRouteOptions & { readonly token: string },
) {
  const controller = controllerAddress();
  // Passed by the environment: every user of the host could see an argument.
  const command = `SVC_AGENT_ENROL_TOKEN=${token} flotilla agent --controller ${controller}`;
  const [view] = await toViews(tx, [row], ctx.now);
  const shownView = { ...view, ca_fingerprint: fingerprint, controller };
  if (!ctx.dryRun) return { ...shownView, token, command };
  // A dry run stores no secret, so showing the generated one would be useless.
  return { ...shownView, secrets: view?.secrets.filter(({ expires_at }) => expires_at !== null) };
}

/** For an API token, the user whom it belongs to and whose rights it has. */
async function findCreator({ actor }: RequestContext, tx: Tx): Promise<string | null> {
  if (actor.kind === 'anonymous') throw new Error('the guard lets nobody in without a name');
  return actor.kind === 'user' ? actor.id : findHolder(tx, actor.secretId);
}

/** Named by its note, if it has one. */
function aboutToken({ id, note }: { readonly id: string; readonly note: string | null }) {
  return { type: 'enrolment_token', id, ...(note && { name: note }) };
}

function notFound(id: string): Error {
  return fail('record.not_found', { kind: 'enrolment token', name: id });
}

function statusOf(row: ShownToken, now: Date): EnrolmentTokenView['status'] {
  if (row.used_at) return 'used';
  if (row.expires_at <= now) return 'expired';
  return row.is_vouched_for ? 'open' : 'void';
}

async function toViews(db: Db, rows: readonly ShownToken[], now: Date): Promise<EnrolmentTokenView[]> {
  const secrets = await listSecrets(db, { kind: 'enrolment', tokenIds: rows.map(({ id }) => id), now });
  return rows.map((row) => ({
    id: row.id,
    project: row.project_id,
    note: row.note,
    labels: row.labels,
    status: statusOf(row, now),
    created_by: row.created_by,
    secrets: secrets.filter(({ tokenId }) => tokenId === row.id).map(({ view }) => view),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    used_at: row.used_at?.toISOString() ?? null,
    client_id: row.used_by_client,
  }));
}
