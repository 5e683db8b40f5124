import * as z from 'zod';
import { timeSchema } from './schemas.ts';

/** The longest that an old secret may hold beside the new one. */
const TOKEN_OVERLAP_MAX_S = 7 * 86_400;

/** One secret of a token, without its value. `expires_at` null: it holds until the next rotation, at most as long as its token. */
export const tokenSecretSchema = z.object({
  /** How it begins; the rest is known to its holder only. */
  prefix: z.string(),
  created_at: timeSchema,
  expires_at: timeSchema.nullable(),
});
export type TokenSecretView = z.infer<typeof tokenSecretSchema>;

/** Seconds for which the secret of before still holds; 0 ends all older ones at once. */
export const overlapSchema = z.int().min(0).max(TOKEN_OVERLAP_MAX_S);
