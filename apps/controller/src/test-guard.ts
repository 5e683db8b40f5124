import { defineRoute, idSchema, READERS } from '@flotilla/contract';
import { z } from 'zod';
import { implement, type Route } from './http/route.ts';

export const [GUARDED, OPEN] = ['/api/v3/guarded', '/api/v3/open'];

/** One handler twice: behind everything that a route of a project is behind, and open to anybody. */
export function createGuardedPair(): Route[] {
  const shared = {
    method: 'GET',
    summary: 'Answers',
    tag: 'Jobs',
    audit: null,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: z.object({ answer: z.string() }),
  } as const;
  const handler = async () => ({ body: { answer: 'yes' } });
  const access = { kind: 'roles', roles: READERS } as const;
  return [
    implement(defineRoute({ ...shared, id: 'askGuarded', path: GUARDED, access, project: 'query' }), handler),
    implement(
      defineRoute({ ...shared, id: 'askOpen', path: OPEN, access: { kind: 'public' }, project: 'none' }),
      handler,
    ),
  ];
}
