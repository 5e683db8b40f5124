import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { dryRunQuery, timeSchema } from '../schemas.ts';

const signInBlockSchema = z.object({
  /** Of IPv6 the first of the /64, which one host has all of. */
  address: z.string(),
  failures: z.int(),
  last_at: timeSchema,
  /** Until then nothing that comes from there is looked at; null: the next try is, and one more failure is followed by a wait. */
  waits_until: timeSchema.nullable(),
});

const ofOwners = { people: true, tag: 'Users', access: { kind: 'system_owner' }, project: 'none' } as const;

/** Addresses from which too many different accounts were tried. */
export const signInBlockRoutes = {
  list: defineRoute({
    id: 'listSignInBlocks',
    method: 'GET',
    path: '/api/v3/setting/sign-in-blocks',
    summary: 'The addresses that have no free sign-ins left, the newest first; 1000 at most',
    ...ofOwners,
    audit: null,
    status: 200,
    response: z.object({ items: z.array(signInBlockSchema), next_cursor: z.null() }),
  }),
  end: defineRoute({
    id: 'endSignInBlock',
    method: 'DELETE',
    path: '/api/v3/setting/sign-in-blocks/:address',
    summary: 'Forget what failed from an address, whatever was tried; accounts that wait go on waiting',
    ...ofOwners,
    audit: 'sign_in_block.delete',
    params: z.strictObject({ address: z.string().min(1).max(64) }),
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};
