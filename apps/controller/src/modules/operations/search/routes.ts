import { SEARCH_LIMIT_DEFAULT, searchRoutes } from '@flotilla/contract';
import { readerOf } from '../../../platform/auth/index.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { findNames } from './store.ts';

/** A search covers the caller's other projects too: every source filters by the caller's project or by the caller. */
export function createSearchRoutes(): Route[] {
  return [
    implement(
      searchRoutes.find,
      async (ctx, { query }) => {
        const { q = '', kind: kinds, limit = SEARCH_LIMIT_DEFAULT } = query;
        const request = { actor: ctx.actor, project: ctx.project, reader: readerOf(ctx), q, kinds, limit };
        return { body: { items: await findNames(ctx.db, request) } };
      },
      { acrossProjects: true },
    ),
  ];
}
