import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { idSchema, nameSchema, observed, timeSchema } from '../schemas.ts';

export const scheduleBodySchema = z.strictObject({
  name: nameSchema,
  type: z.string().min(1).max(128),
  /** Minute, hour, day of month, month, day of week. An hour that a time change skips or repeats counts once. */
  cron: z.string().min(1).max(128),
  /** IANA name. */
  time_zone: z.string().min(1).max(64).default('UTC'),
  enabled: z.boolean().default(true),
  /** When an existing schedule is replaced, secrets that are left out stay; null deletes one. */
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
  /** The last writer of the schedule, whose rights its jobs need. */
  by: z.object({ kind: z.enum(['user', 'token', 'system']), id: z.string().nullable(), name: z.string() }),
  /** Null if the schedule is off or never due. One run makes up for all missed ones. */
  next_run_at: observed(timeSchema.nullable()),
  last_job: observed(idSchema.nullable()),
  /** Failed starts in a row; the delay before the next attempt grows with them. */
  failures: observed(z.number().int()),
  /** Why the last start failed; null after a successful one. */
  error: observed(z.object({ code: z.string(), message: z.string(), at: timeSchema }).nullable()),
});
export type ScheduleView = z.infer<typeof scheduleSchema>;

export const jobSchedulesAuditWords = defineAuditWords({
  nouns: {
    job_schedule: 'schedule',
  },
});
