import * as z from 'zod';
import { idSchema, timeSchema } from '../schemas.ts';

const count = z.number().int();

/** Contents of a project backup. */
export const BUNDLE_KINDS = ['documents', 'policies', 'services', 'settings'] as const;
export type BundleKind = (typeof BUNDLE_KINDS)[number];

/** Decides how a restore treats everything that exists already. */
export const RESTORE_CHOICES = ['skip', 'replace'] as const;
export type RestoreChoice = (typeof RESTORE_CHOICES)[number];

export const RESTORE_OUTCOMES = ['refused', 'created', 'changed', 'skipped', 'unchanged'] as const;
export type RestoreOutcome = (typeof RESTORE_OUTCOMES)[number];
/** A summary has at most this many results. */
export const RESTORE_RESULTS_MAX = 1000;

export const restoreResultSchema = z.object({
  kind: z.enum(BUNDLE_KINDS),
  name: z.string(),
  outcome: z.enum(RESTORE_OUTCOMES),
  /** Why it is skipped or refused. */
  reason: z.string().optional(),
  /** Fields whose secrets are not in the backup and have to be set afterwards. */
  missing_secrets: z.array(z.string()).optional(),
});
export type RestoreResult = z.infer<typeof restoreResultSchema>;

export const restoreSummarySchema = z.object({
  counts: z.object({ refused: count, created: count, changed: count, skipped: count, unchanged: count }),
  /** In the order of the counts; at most 1,000. */
  results: z.array(restoreResultSchema),
});
export type RestoreSummary = z.infer<typeof restoreSummarySchema>;

/** Answer of a dry run: one refused record refuses the whole restore. */
export const restorePreviewSchema = restoreSummarySchema.extend({ dry_run: z.literal(true) });
export type RestorePreview = z.infer<typeof restorePreviewSchema>;

export const backupRestoreSchema = z.object({
  id: idSchema,
  backup: idSchema,
  /** It runs as this job; null when the job has been deleted. */
  job: idSchema.nullable(),
  /** The project before the restore: a backup that opens at this installation. Null until it is made. */
  restore_point: idSchema.nullable(),
  /** Null until everything is written. */
  summary: restoreSummarySchema.nullable(),
  created_at: timeSchema,
  created_by: z.string(),
  ended_at: timeSchema.nullable(),
});
export type RestoreView = z.infer<typeof backupRestoreSchema>;
