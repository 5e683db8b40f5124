import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, repeatable, timeSchema } from '../schemas.ts';

export const SEARCH_LIMIT_DEFAULT = 20;
export const SEARCH_LIMIT_MAX = 50;
export const SEARCH_KINDS = ['document', 'policy', 'service', 'client', 'user', 'project'] as const;

export const searchItemSchema = z.object({
  kind: z.enum(SEARCH_KINDS),
  id: idSchema,
  name: z.string(),
  /** For documents only. */
  collection: z.string().optional(),
  version: z.string().optional(),
  type: z.string().optional(),
  /** Distinguishes things with the same name: host name of a client, proxy version of a service, mail address. */
  detail: z.string().optional(),
  /** Quality of the match. 0: the name equals the text; 1: begins with it; 2: contains it; 3: is similar to it. */
  rank: z.number().int().min(0).max(3),
  updated_at: timeSchema,
});
export type SearchItem = z.infer<typeof searchItemSchema>;

export const searchRoutes = {
  find: defineRoute({
    id: 'searchNames',
    method: 'GET',
    path: '/api/v3/search',
    summary:
      'Search everything with a name that the caller may read, best match first; without text, most recently changed first',
    tag: 'Search',
    family: null,
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: z.strictObject({
      project: idSchema,
      /** Part of a name, without regard to case. */
      q: z.string().max(128).optional(),
      kind: repeatable(z.enum(SEARCH_KINDS)).optional(),
      limit: z.coerce.number().int().min(1).max(SEARCH_LIMIT_MAX).optional(),
    }),
    status: 200,
    response: z.object({ items: z.array(searchItemSchema) }),
  }),
};
