import * as z from 'zod';
import { idSchema, nameSchema, timeSchema } from '../schemas.ts';

const count = z.number().int();

export const BACKUP_CHOICES = ['skip', 'replace'] as const;
/** `rename`: it is made beside what is here, by another name, which the rest of the restore refers to. */
export const RECORD_CHOICES = [...BACKUP_CHOICES, 'rename'] as const;
/** What a restore brings, in the words of its plan. */
export const RESTORE_SECTIONS = [
  'documents',
  'policies',
  'services',
  'settings',
  'groups',
  'permissions',
  'schedules',
] as const;
/** Settings lie where they belong, and permissions have no names. */
export const RENAMED_SECTIONS = ['documents', 'policies', 'services', 'groups', 'schedules'] as const;
export const RENAME_SUFFIX = '-restored';

const bySection = z.enum(BACKUP_CHOICES).optional();
const orByName = z.enum(RECORD_CHOICES).optional();

/** What is done with records whose names are taken here by what differs. The nearest choice counts. */
export const restoreChoicesSchema = z.strictObject({
  on_conflict: z.enum(BACKUP_CHOICES).default('skip'),
  by_section: z
    .strictObject({
      documents: orByName,
      policies: orByName,
      services: orByName,
      settings: bySection,
      groups: orByName,
      permissions: bySection,
      schedules: orByName,
    })
    .optional(),
  by_record: z
    .array(
      z.strictObject({
        section: z.enum(RESTORE_SECTIONS),
        /** Its name as the plan shows it, or the id that it has in the backup. */
        record: z.string().min(1).max(1024),
        choice: z.enum(RECORD_CHOICES),
        /** Of one that is renamed; without, `suffix` follows the name that it has. */
        name: nameSchema.optional(),
      }),
    )
    .max(1000)
    .optional(),
  /** Whether people of the backup that have an account, and are no members any more, become members again in their roles. */
  with_members: z.boolean().default(false),
  suffix: z
    .string()
    .max(32)
    .regex(/^[A-Za-z0-9._-]*[A-Za-z0-9]$/, 'letters, digits, dot, dash and underscore; ends with a letter or digit')
    .default(RENAME_SUFFIX),
});
export type RestoreChoices = z.output<typeof restoreChoicesSchema>;

/** What a restore into a project would do. Every id is given anew; accounts, tokens and clients are never taken. */
export const restorePlanSchema = z.object({
  /** Of everything below and of what it was made from: a restore names it, and does this or nothing. */
  digest: z.string(),
  project: idSchema,
  creates: z.array(z.object({ kind: z.string(), count, names: z.array(z.string()) })),
  /** Names that are taken; what is the same already is not among them. `as`: the new name of what is renamed. */
  conflicts: z.array(
    z.object({ kind: z.string(), name: z.string(), choice: z.enum(RECORD_CHOICES), as: z.string().optional() }),
  ),
  unchanged: count,
  /** Left out of a backup without secrets: to be given afterwards. */
  missing_secrets: z.array(z.object({ kind: z.string(), name: z.string(), path: z.string() })),
  not_taken: z.array(z.object({ kind: z.string(), count, reason: z.string() })),
});
export type RestorePlan = z.infer<typeof restorePlanSchema>;

export const backupRestoreSchema = z.object({
  id: idSchema,
  backup: idSchema,
  /** It runs as this job; null where that is gone. */
  job: idSchema.nullable(),
  /** The project as it was before: a backup that opens at this installation. Null until it is made. */
  restore_point: idSchema.nullable(),
  /** By which id each record was known in the backup, and by which it is here. Null until all of them are written. */
  restored: z.array(z.object({ kind: z.string(), name: z.string(), from: idSchema, to: idSchema })).nullable(),
  created_at: timeSchema,
  created_by: z.string(),
  ended_at: timeSchema.nullable(),
});
export type RestoreView = z.infer<typeof backupRestoreSchema>;
