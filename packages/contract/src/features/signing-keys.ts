import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { dryRunQuery, timeSchema } from '../schemas.ts';

const signingKeySchema = z.object({
  kid: z.string(),
  created_at: timeSchema,
  /** True for the key that signs new access tokens. */
  signs: z.boolean(),
  /** When the last token that it signed expires; null for the key that signs. */
  verifies_until: timeSchema.nullable(),
});

export const signingKeyRoutes = {
  list: defineRoute({
    id: 'listSigningKeys',
    method: 'GET',
    path: '/api/v3/setting/signing-keys',
    summary: 'List the keys that sign access tokens, by name',
    tag: 'Keys',
    family: 'maintenance',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: null,
    status: 200,
    response: z.object({ items: z.array(signingKeySchema), next_cursor: z.null() }),
  }),
  rotate: defineRoute({
    id: 'rotateSigningKey',
    method: 'POST',
    path: '/api/v3/setting/signing-keys/rotate',
    summary: 'Start to sign with a new key; older tokens stay valid until they expire',
    tag: 'Keys',
    family: 'maintenance',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: 'signing_key.rotate',
    query: z.strictObject(dryRunQuery),
    status: 201,
    response: z.object({ kid: z.string() }),
  }),
};
