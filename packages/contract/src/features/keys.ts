import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { secret } from '../secret.ts';

/** The longest that a master key of before may open the database beside the new one. */
export const MASTER_OVERLAP_MAX_S = 7 * 86_400;
const MASTER_OVERLAP_S = 3600;

const keysSchema = z.object({
  /** Keys that secrets are sealed with, by number. */
  data_keys: z.array(
    z.object({
      id: z.int(),
      created_at: timeSchema,
      /** coming: known, and not used yet; sealing: what is written is sealed with it; leaving: what it seals is sealed anew. */
      state: z.enum(['coming', 'sealing', 'leaving']),
    }),
  ),
  /** Keys outside the database that wrap the data keys: the one in use, and those of before that still open it. */
  master_keys: z.array(z.object({ created_at: timeSchema, expires_at: timeSchema.nullable() })),
  /** Where this controller has its master key from. */
  master_from: z.enum(['file', 'environment']),
});
export type KeysView = z.infer<typeof keysSchema>;

export const keyRoutes = {
  list: defineRoute({
    id: 'listKeys',
    method: 'GET',
    path: '/api/v3/setting/keys',
    summary: 'The keys that secrets at rest are sealed with, without their values',
    tag: 'Keys',
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
    summary: 'Make a new data key and seal all secrets anew with it, or a new master key',
    tag: 'Keys',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: 'key.rotate',
    query: z.strictObject(dryRunQuery),
    body: z.discriminatedUnion('which', [
      z.strictObject({ which: z.literal('data') }),
      z.strictObject({
        which: z.literal('master'),
        /** The new one, where it comes from SVC_MASTER_KEY: 32 bytes as hex or base64, or a pass phrase of 32 characters or more. */
        master_key: secret(z.string().max(4096)).optional(),
        /** Seconds for which the one of before opens the database too; 0: not at all. */
        overlap_s: z.int().min(0).max(MASTER_OVERLAP_MAX_S).default(MASTER_OVERLAP_S),
      }),
    ]),
    status: 202,
    response: z.object({
      which: z.enum(['data', 'master']),
      /** Number of the new data key; null for a master key. */
      data_key: z.int().nullable(),
      /** What seals all secrets anew and takes the old data key away; null for a master key, which is changed by now. */
      job: z.object({ id: idSchema, number: z.int() }).nullable(),
    }),
  }),
};
