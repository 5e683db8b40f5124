import { SEARCH_LIMIT_DEFAULT, searchRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import { readerOf } from '../permissions/index.ts';
import { findNames } from './store.ts';

/** People find their other projects here, too: every source of the query names the caller's project, or the caller. */
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
