import { defineRoute, idSchema, READERS } from '@flotilla/contract';
import * as z from 'zod';
import { implement, type Route } from '../platform/http/route.ts';

export const [GUARDED, OPEN] = ['/api/v3/guarded', '/api/v3/open'];
/** Called with the id of a client, for which the caller needs a permission in a restricted project. */
export const [PERMITTED, PERMITTED_WRITE] = ['/api/v3/permitted', '/api/v3/permitted-write'];

/** Routes with one handler: in a project, for one resource and without, and public. */
export function createGuardedRoutes(): Route[] {
  const shared = {
    method: 'GET',
    summary: 'Answers',
    tag: 'Jobs',
    family: 'jobs',
    audit: null,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: z.object({ answer: z.string() }),
  } as const;
  const handler = async () => ({ body: { answer: 'yes' } });
  const access = { kind: 'roles', roles: READERS } as const;
  const params = z.strictObject({ client_id: idSchema });
  const about = { access, project: 'query', params } as const;
  const needs = { kind: 'client', param: 'client_id', by: 'id' } as const;
  return [
    implement(
      defineRoute({
        ...shared,
        ...about,
        id: 'askPermitted',
        path: `${PERMITTED}/:client_id`,
        needs: { ...needs, level: 'view' },
      }),
      handler,
    ),
    implement(
      defineRoute({
        ...shared,
        ...about,
        id: 'askPermittedWrite',
        method: 'DELETE',
        path: `${PERMITTED_WRITE}/:client_id`,
        needs: { ...needs, level: 'change' },
      }),
      handler,
    ),
    implement(defineRoute({ ...shared, id: 'askGuarded', path: GUARDED, access, project: 'query' }), handler),
    implement(
      defineRoute({ ...shared, id: 'askOpen', path: OPEN, access: { kind: 'public' }, project: 'none' }),
      handler,
    ),
  ];
}
