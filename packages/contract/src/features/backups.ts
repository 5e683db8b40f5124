import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, timeSchema } from '../schemas.ts';
import { secret } from '../secret.ts';
import { jobSchema } from './jobs.ts';
import { backupRestoreSchema, RESTORE_CHOICES, restorePreviewSchema } from './restores.ts';

const count = z.number().int();

export const BACKUP_ORIGINS = ['made', 'scheduled', 'restore_point', 'uploaded'] as const;
/** How a backup's file is protected. `installation`: only this installation can open it. */
export const BACKUP_PROTECTIONS = ['passphrase', 'installation', 'none'] as const;
/** Limit for uploaded files. */
export const BACKUP_UPLOAD_MAX_BYTES = 1024 * 1024 * 1024;

export const backupSchema = z.object({
  id: idSchema,
  /** The project that keeps it; null: the installation. */
  project: idSchema.nullable(),
  origin: z.enum(BACKUP_ORIGINS),
  status: z.enum(['making', 'ready', 'failed']),
  description: z.string().nullable(),
  /** True: passwords, keys and other secrets are left out. */
  secret_free: z.boolean(),
  protection: z.enum(BACKUP_PROTECTIONS),
  bytes: count.nullable(),
  /** Hex digest of the whole file. */
  sha256: z.string().nullable(),
  created_at: timeSchema,
  created_by: z.string(),
  /** When the whole file was last verified: every piece, every digest and the signature. */
  verified_at: timeSchema.nullable(),
  /** Result of the automatic test of a scheduled backup: it is opened, read completely and restored in a dry run. Null if untested. */
  restore_test: z.object({ at: timeSchema, is_good: z.boolean(), message: z.string() }).nullable(),
  /** The header of the file; null while the backup is being made. */
  content: z
    .object({
      kind: z.enum(['project', 'installation']),
      app_version: z.string(),
      made_at: timeSchema,
      project: z.object({ id: idSchema, name: z.string() }).nullable(),
      /** SHA-256 of the signer's public key. */
      signer: z.string(),
      /** True if this installation signed it. */
      own: z.boolean(),
    })
    .nullable(),
  /** Empty until the whole file was verified. */
  sections: z.array(z.object({ name: z.string(), rows: count, bytes: count, sha256: z.string() })),
});
export type BackupView = z.infer<typeof backupSchema>;

/** At least 12 characters. The controller does not keep it. */
const passphraseSchema = secret(z.string().min(12).max(1024));

/** The parts of a request that open a backup. */
const opening = {
  backup: idSchema,
  passphrase: passphraseSchema.optional(),
  /** Fingerprint of a foreign signer that the caller trusts, typed by a person. */
  trust_key: z.hex().length(64).optional(),
};

const scope = z.strictObject({ project: idSchema.optional() });
const shared = {
  tag: 'Backups',
  family: 'maintenance',
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
    summary: 'List the backups of the project, newest first; without a project, those of the installation',
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
    summary: 'Read a backup, with the digest of each section',
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
    summary: 'Download the file of a backup',
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
    summary: 'Delete a backup with its file',
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
      'Back up the project, or without one the whole installation: with a passphrase, encrypted for this installation, or without secrets',
    ...shared,
    audit: 'backup.export',
    rate: 'command',
    body: z.strictObject({
      secret_free: z.boolean().default(false),
      /** Only owners of the installation may set one: anyone who knows it can read every secret in the backup. */
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
    summary: 'Upload the file of a backup, to review and restore it; its contents are not trusted yet',
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
    summary: 'Verify a backup: read every piece, digest and the signature; a refusal says what is wrong',
    ...shared,
    audit: 'backup.validate',
    rate: 'command',
    body: z.strictObject(opening),
    status: 200,
    response: backupSchema,
  }),
  import: defineRoute({
    id: 'importBackup',
    method: 'POST',
    path: `${BASE}/backup/import`,
    summary:
      'Restore a backup into the project in a job: first a restore point of the project, then everything in one transaction. With dry_run: show what would be created, changed, skipped and refused',
    ...shared,
    project: 'query',
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    audit: 'backup.import',
    rate: 'command',
    body: z.strictObject({
      ...opening,
      /** Decides how to treat everything that exists already. */
      on_conflict: z.enum(RESTORE_CHOICES).default('skip'),
    }),
    status: 202,
    response: z.union([
      restorePreviewSchema,
      z.object({ restore: idSchema, job: jobSchema.pick({ id: true, number: true }) }),
    ]),
  }),
  restore: defineRoute({
    id: 'getRestore',
    method: 'GET',
    path: `${BASE}/backup/restores/:restore_id`,
    summary: 'Read a restore: its job, its restore point, and what it has written',
    ...shared,
    project: 'query',
    query: z.strictObject({ project: idSchema }),
    params: z.strictObject({ restore_id: idSchema }),
    audit: null,
    status: 200,
    response: backupRestoreSchema,
  }),
};

export const backupsAuditWords = defineAuditWords({
  actions: {
    'backup.download': 'download backup',
    'backup.export': 'create backup',
    'backup.import': 'request the restore of backup',
    'backup.rebuild': 'rebuild the installation from backup',
    'backup.validate': 'check backup',
  },
});
