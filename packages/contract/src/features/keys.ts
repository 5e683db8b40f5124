import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { secret } from '../secret.ts';

/** Limit for how long the previous master key opens the database alongside the new one. */
export const MASTER_OVERLAP_MAX_S = 7 * 86_400;
const MASTER_OVERLAP_S = 3600;

const keysSchema = z.object({
  /** Keys that encrypt secrets, by number. */
  data_keys: z.array(
    z.object({
      id: z.int(),
      created_at: timeSchema,
      /** coming: known, but not used yet; sealing: encrypts new values; leaving: its values are encrypted again with the new key. */
      state: z.enum(['coming', 'sealing', 'leaving']),
    }),
  ),
  /** Keys outside the database that wrap the data keys: the current one, and previous ones that are still valid. */
  master_keys: z.array(z.object({ created_at: timeSchema, expires_at: timeSchema.nullable() })),
  /** Source of this controller's master key. */
  master_from: z.enum(['file', 'environment']),
});
export type KeysView = z.infer<typeof keysSchema>;

export const keyRoutes = {
  list: defineRoute({
    id: 'listKeys',
    method: 'GET',
    path: '/api/v3/setting/keys',
    summary: 'List the keys that encrypt secrets at rest, without their values',
    tag: 'Keys',
    family: 'maintenance',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: null,
    status: 200,
    response: keysSchema,
  }),
  rotate: defineRoute({
    id: 'rotateKey',
    method: 'POST',
    path: '/api/v3/setting/keys/rotate',
    summary: 'Create a new data key and encrypt all secrets again with it, or create a new master key',
    tag: 'Keys',
    family: 'maintenance',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: 'key.rotate',
    query: z.strictObject(dryRunQuery),
    body: z.discriminatedUnion('which', [
      z.strictObject({ which: z.literal('data') }),
      z.strictObject({
        which: z.literal('master'),
        /** The new key, if it comes from SVC_MASTER_KEY: 32 bytes as hex or base64, or a passphrase of at least 32 characters. */
        master_key: secret(z.string().max(4096)).optional(),
        /** Seconds for which the previous key also opens the database; 0: not at all. */
        overlap_s: z.int().min(0).max(MASTER_OVERLAP_MAX_S).default(MASTER_OVERLAP_S),
      }),
    ]),
    status: 202,
    response: z.object({
      which: z.enum(['data', 'master']),
      /** Number of the new data key; null for a master key. */
      data_key: z.int().nullable(),
      /** Encrypts all secrets again and deletes the old data key. Null for a master key, which is changed at once. */
      job: z.object({ id: idSchema, number: z.int() }).nullable(),
    }),
  }),
};
