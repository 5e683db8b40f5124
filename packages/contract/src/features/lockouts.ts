import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, timeSchema } from '../schemas.ts';

const lockoutSchema = z.object({
  /** For IPv6 the first address of the /64, because one host has all of it. */
  address: z.string(),
  failures: z.int(),
  last_at: timeSchema,
  /** Sign-ins from there are refused until this time. Null: the next one is tried, and another failure causes a wait. */
  waits_until: timeSchema.nullable(),
});

const ofOwners = {
  people: true,
  tag: 'Users',
  family: 'identity',
  access: { kind: 'system_owner' },
  project: 'none',
} as const;

/** Addresses from which too many different accounts were tried. */
export const lockoutRoutes = {
  list: defineRoute({
    id: 'listSignInBlocks',
    method: 'GET',
    path: '/api/v3/setting/sign-in-blocks',
    summary: 'List the addresses that have no free sign-in attempts left, newest first; at most 1,000',
    ...ofOwners,
    audit: null,
    status: 200,
    response: z.object({ items: z.array(lockoutSchema), next_cursor: z.null() }),
  }),
  end: defineRoute({
    id: 'endSignInBlock',
    method: 'DELETE',
    path: '/api/v3/setting/sign-in-blocks/:address',
    summary: 'Forget the failed sign-ins of an address; accounts that are locked out stay locked out',
    ...ofOwners,
    audit: 'sign_in_block.delete',
    params: z.strictObject({ address: z.string().min(1).max(64) }),
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};

export const lockoutsAuditWords = defineAuditWords({
  actions: {
    'sign_in_block.delete': 'unlock address',
  },
});
