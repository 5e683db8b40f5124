import * as z from 'zod';
import { timeSchema } from './schemas.ts';

/** Limit for how long an old secret stays valid alongside the new one. */
const TOKEN_OVERLAP_MAX_S = 7 * 86_400;

/** One secret of a token, without its value. `expires_at` null: valid until the next rotation, or until the token ends. */
export const tokenSecretSchema = z.object({
  /** Its first characters. The controller does not keep the rest. */
  prefix: z.string(),
  created_at: timeSchema,
  expires_at: timeSchema.nullable(),
});
export type TokenSecretView = z.infer<typeof tokenSecretSchema>;

/** Seconds for which the previous secret stays valid; 0 ends all older ones at once. */
export const overlapSchema = z.int().min(0).max(TOKEN_OVERLAP_MAX_S);
