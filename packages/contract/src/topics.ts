import * as z from 'zod';

/**
 * A topic of change events. `members`: everybody in the project gets its events. `admins`: only owners and admins get them, because
 * only they may read these things.
 */
export function defineTopic<N extends string, M extends z.ZodRawShape>(
  topic: N,
  audience: 'members' | 'admins',
  members: M,
) {
  return { topic, audience, schema: z.object({ topic: z.literal(topic), ...members }) };
}
