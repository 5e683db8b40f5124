import * as z from 'zod';
import { idSchema, nameSchema, observed, timeSchema } from '../schemas.ts';

export const scheduleBodySchema = z.strictObject({
  name: nameSchema,
  type: z.string().min(1).max(128),
  /** Minute, hour, day of month, month, day of week; an hour that the clock skips or repeats counts once. */
  cron: z.string().min(1).max(128),
  /** IANA name. */
  time_zone: z.string().min(1).max(64).default('UTC'),
  enabled: z.boolean().default(true),
  /** Of one that is written anew: secrets that are left out stay, null takes one away. */
  params: z.record(z.string(), z.unknown()).default({}),
});

export const scheduleSchema = z.object({
  id: idSchema,
  project: idSchema.nullable(),
  name: z.string(),
  type: z.string(),
  cron: z.string(),
  time_zone: z.string(),
  enabled: z.boolean(),
  /** Without secrets. */
  params: z.record(z.string(), z.unknown()),
  /** Whose rights its jobs need: of whoever wrote it last. */
  by: z.object({ kind: z.enum(['user', 'token', 'system']), id: z.string().nullable(), name: z.string() }),
  /** Null where it is switched off, or never comes. Runs that were missed are made up for by one. */
  next_run_at: observed(timeSchema.nullable()),
  last_job: observed(idSchema.nullable()),
  /** Times in a row that it could start none, for which it waits longer and longer. */
  failures: observed(z.number().int()),
  /** What hindered it the last time; null once it has started one. */
  error: observed(z.object({ code: z.string(), message: z.string(), at: timeSchema }).nullable()),
});
export type ScheduleView = z.infer<typeof scheduleSchema>;
