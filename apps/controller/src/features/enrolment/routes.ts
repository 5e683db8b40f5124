import { ENROLMENT_TOKEN_TTL_DEFAULT_S, enrolmentRoutes, fail } from '@flotilla/contract';
import type { EnrolmentTokensTable } from '@flotilla/db';
import { createId, createSecret } from '@flotilla/kit';
import { formatEnrolmentToken } from '@flotilla/proto';
import type { Selectable } from 'kysely';
import { actorName } from '../../http/context.ts';
import { executePage, parsePage } from '../../http/paging.ts';
import { implement, type Route } from '../../http/route.ts';
import { deleteToken, insertToken, selectTokens } from './tokens.ts';

export interface EnrolmentRouteOptions {
  /** Of the authority's certificate. */
  readonly fingerprint: string;
  /** `HOST:PORT` that agents dial; asked at each request, because the port may be chosen when listening begins. */
  readonly controllerAddress: () => string;
}

/** Characters of a token that are kept readable: its kind's prefix and six random ones. */
const SHOWN_LENGTH = 11;

const SORT = {
  sortable: { created_at: 'created_at', expires_at: 'expires_at' },
  defaultSort: '-created_at',
  id: 'id',
} as const;

export function createEnrolmentRoutes({ fingerprint, controllerAddress }: EnrolmentRouteOptions): Route[] {
  return [
    implement(enrolmentRoutes.listTokens, async (ctx, { query }) => {
      const selected = selectTokens(ctx.db, { projectId: ctx.project.id, ...query, now: ctx.now });
      const { rows, next_cursor } = await executePage(selected, parsePage(query, SORT));
      return { body: { items: rows.map((row) => toView(row, ctx.now)), next_cursor } };
    }),
    implement(enrolmentRoutes.createToken, async (ctx, { body }) => {
      const secret = createSecret();
      const token = formatEnrolmentToken({ secret, fingerprint });
      const controller = controllerAddress();
      const row = {
        id: createId(ctx.now.getTime()),
        project_id: ctx.project.id,
        note: body.note ?? null,
        created_by: actorName(ctx),
        created_at: ctx.now,
        expires_at: new Date(ctx.now.getTime() + (body.ttl_s ?? ENROLMENT_TOKEN_TTL_DEFAULT_S) * 1000),
        used_at: null,
        used_by_client: null,
        used_key_digest: null,
      };
      return ctx.write(async (tx) => {
        await insertToken(tx, row, { secret, prefix: token.slice(0, SHOWN_LENGTH) });
        return {
          reply: {
            status: 201,
            location: `${enrolmentRoutes.createToken.path}/${row.id}`,
            body: {
              ...toView(row, ctx.now),
              // A dry run makes no token: one that is shown would be worth nothing.
              ...(ctx.dryRun
                ? {}
                : {
                    token,
                    // By the environment: an argument would be seen by every user of the host.
                    command: `SVC_AGENT_ENROL_TOKEN=${token} flotilla agent --controller ${controller}`,
                  }),
              ca_fingerprint: fingerprint,
              controller,
            },
          },
          audit: { ...aboutToken(row), changes: { note: row.note, expires_at: row.expires_at } },
        };
      });
    }),
    implement(enrolmentRoutes.deleteToken, async (ctx, { params }) =>
      ctx.write(async (tx) => {
        const deleted = await deleteToken(tx, ctx.project.id, params.token_id);
        if (!deleted) throw fail('record.not_found', { kind: 'enrolment token', name: params.token_id });
        return { reply: { status: 204 }, audit: aboutToken({ id: params.token_id, ...deleted }) };
      }),
    ),
  ];
}

/** Named by its note, if it has one. */
function aboutToken({ id, note }: { readonly id: string; readonly note: string | null }) {
  return { type: 'enrolment_token', id, ...(note && { name: note }) };
}

function toView(row: Omit<Selectable<EnrolmentTokensTable>, 'used_key_digest'>, now: Date) {
  const unusedStatus = row.expires_at <= now ? 'expired' : 'open';
  return {
    id: row.id,
    project: row.project_id,
    note: row.note,
    status: row.used_at ? 'used' : unusedStatus,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    used_at: row.used_at?.toISOString() ?? null,
    client_id: row.used_by_client,
  };
}
