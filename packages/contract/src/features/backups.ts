import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { DOCUMENT_BODY_BYTES, defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, timeSchema } from '../schemas.ts';
import { secret } from '../secret.ts';
import { jobSchema } from './jobs.ts';
import { backupRestoreSchema, restoreChoicesSchema, restorePlanSchema } from './restores.ts';

const count = z.number().int();

export const BACKUP_ORIGINS = ['made', 'scheduled', 'restore_point', 'uploaded'] as const;
/** What keeps a backup's file from being read. `installation`: it opens at this installation alone. */
export const BACKUP_PROTECTIONS = ['passphrase', 'installation', 'none'] as const;
/** The most that is taken of a file that somebody sends. */
export const BACKUP_UPLOAD_MAX_BYTES = 1024 * 1024 * 1024;

export const backupSchema = z.object({
  id: idSchema,
  /** Where it is kept; null: with the installation. */
  project: idSchema.nullable(),
  origin: z.enum(BACKUP_ORIGINS),
  status: z.enum(['making', 'ready', 'failed']),
  description: z.string().nullable(),
  /** Nothing in it is secret: passwords, keys and the like are left out. */
  secret_free: z.boolean(),
  protection: z.enum(BACKUP_PROTECTIONS),
  bytes: count.nullable(),
  /** Of the whole file, in hex. */
  sha256: z.string().nullable(),
  created_at: timeSchema,
  created_by: z.string(),
  /** When its file was last read whole: every piece opened, every digest and the signature right. */
  verified_at: timeSchema.nullable(),
  /** Of scheduled ones: opened, read whole and planned as a restore would; null where it was not tried out. */
  restore_test: z.object({ at: timeSchema, is_good: z.boolean(), message: z.string() }).nullable(),
  /** What the file says of itself; null while it is being made. */
  content: z
    .object({
      kind: z.enum(['project', 'installation']),
      app_version: z.string(),
      made_at: timeSchema,
      project: z.object({ id: idSchema, name: z.string() }).nullable(),
      /** SHA-256 of the public key that it is signed with. */
      signer: z.string(),
      /** This installation has signed it. */
      own: z.boolean(),
    })
    .nullable(),
  /** Empty until it was read whole. */
  sections: z.array(z.object({ name: z.string(), rows: count, bytes: count, sha256: z.string() })),
});
export type BackupView = z.infer<typeof backupSchema>;

/** Of 12 characters or more; kept by nobody but who sets it. */
const passphraseSchema = secret(z.string().min(12).max(1024));

/** What it takes to read a backup. */
const opening = {
  backup: idSchema,
  passphrase: passphraseSchema.optional(),
  /** Fingerprint of a foreign signer that the caller believes, typed by a person. */
  trust_key: z.hex().length(64).optional(),
};

const scope = z.strictObject({ project: idSchema.optional() });
const shared = {
  tag: 'Backups',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query_or_all',
  query: scope,
} as const;
const params = z.strictObject({ backup_id: idSchema });
const BASE = '/api/v3/setting/maintenance';

export const backupRoutes = {
  list: defineRoute({
    id: 'listBackups',
    method: 'GET',
    path: `${BASE}/backups`,
    summary: 'Backups of the project, newest first; without one, those of the installation',
    ...shared,
    audit: null,
    query: z.strictObject({ project: idSchema.optional(), limit: listQuery.limit, cursor: listQuery.cursor }),
    status: 200,
    response: listOf(backupSchema),
  }),
  get: defineRoute({
    id: 'getBackup',
    method: 'GET',
    path: `${BASE}/backups/:backup_id`,
    summary: 'One backup, with the digest of each section',
    ...shared,
    audit: null,
    params,
    status: 200,
    response: backupSchema,
  }),
  download: defineRoute({
    id: 'downloadBackup',
    method: 'GET',
    path: `${BASE}/backups/:backup_id/file`,
    summary: 'The file of a backup, as it was written',
    ...shared,
    audit: 'backup.download',
    media: 'application/octet-stream',
    params,
    status: 200,
    response: z.unknown(),
  }),
  delete: defineRoute({
    id: 'deleteBackup',
    method: 'DELETE',
    path: `${BASE}/backups/:backup_id`,
    summary: 'Deletes a backup with its file',
    ...shared,
    audit: 'backup.delete',
    params,
    query: scope.extend(dryRunQuery),
    status: 204,
  }),
  export: defineRoute({
    id: 'exportBackup',
    method: 'POST',
    path: `${BASE}/backup/export`,
    summary:
      'Makes a backup of the project, or without one of the whole installation: by pass phrase, sealed for this installation, or without secrets',
    ...shared,
    audit: 'backup.export',
    rate: 'command',
    body: z.strictObject({
      secret_free: z.boolean().default(false),
      /** Whoever knows it can read every secret in the backup: owners of the installation alone set one. */
      passphrase: passphraseSchema.optional(),
      description: z.string().max(200).optional(),
    }),
    status: 202,
    response: z.object({ backup: backupSchema, job: jobSchema.pick({ id: true, number: true }) }),
  }),
  upload: defineRoute({
    id: 'uploadBackup',
    method: 'PUT',
    path: `${BASE}/backup/uploads`,
    summary: 'Takes the file of a backup, to be looked at and restored; what is in it is not believed yet',
    ...shared,
    audit: 'backup.upload',
    rate: 'command',
    upload: true,
    bodyLimit: BACKUP_UPLOAD_MAX_BYTES,
    status: 201,
    response: backupSchema,
  }),
  validate: defineRoute({
    id: 'validateBackup',
    method: 'POST',
    path: `${BASE}/backup/validate`,
    summary: 'Reads a backup whole: every piece, digest and the signature; refused with what is wrong with it',
    ...shared,
    audit: 'backup.validate',
    rate: 'command',
    body: z.strictObject(opening),
    status: 200,
    response: backupSchema,
  }),
  plan: defineRoute({
    id: 'planRestore',
    method: 'POST',
    path: `${BASE}/backup/plan`,
    summary: 'What restoring the backup into the project would create, replace and leave out; nothing is changed',
    ...shared,
    project: 'query',
    query: z.strictObject({ project: idSchema }),
    audit: 'backup.plan',
    rate: 'command',
    // A choice for each of many records.
    bodyLimit: DOCUMENT_BODY_BYTES,
    body: z.strictObject({ ...opening, ...restoreChoicesSchema.shape }),
    status: 200,
    response: restorePlanSchema,
  }),
  import: defineRoute({
    id: 'importBackup',
    method: 'POST',
    path: `${BASE}/backup/import`,
    summary:
      'Restores a backup into the project as its plan says, by a job: a restore point of the project first, then everything in one transaction',
    ...shared,
    project: 'query',
    query: z.strictObject({ project: idSchema }),
    audit: 'backup.import',
    rate: 'command',
    // A choice for each of many records.
    bodyLimit: DOCUMENT_BODY_BYTES,
    body: z.strictObject({
      ...opening,
      ...restoreChoicesSchema.shape,
      /** Of the plan. */
      digest: z.hex().length(64),
    }),
    status: 202,
    response: z.object({ restore: idSchema, job: jobSchema.pick({ id: true, number: true }) }),
  }),
  restore: defineRoute({
    id: 'getRestore',
    method: 'GET',
    path: `${BASE}/backup/restores/:restore_id`,
    summary: 'A restore: its job, the restore point that it made, and what it has written',
    ...shared,
    project: 'query',
    query: z.strictObject({ project: idSchema }),
    params: z.strictObject({ restore_id: idSchema }),
    audit: null,
    status: 200,
    response: backupRestoreSchema,
  }),
};
