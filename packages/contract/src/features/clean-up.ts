import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, timeSchema } from '../schemas.ts';
import { proxyVersionSchema } from './documents.ts';

/**
 * The documents of the version that are deleted. `default-only`: the default documents that carry the label `is_default` with
 * the value `true`, which every version of a project begins with; `non-default-only`: all others.
 */
export const CLEAN_UP_MODES = ['all', 'default-only', 'non-default-only'] as const;
export type CleanUpMode = (typeof CLEAN_UP_MODES)[number];

const count = z.number().int();

/** A reason against the clean-up: the version is still in use, or a document that stays refers to one that would go. */
const blockerSchema = z.object({
  /** `services`, or the collection of a document. */
  kind: z.string(),
  name: z.string(),
  reason: z.string(),
});

export const cleanUpPreviewSchema = z.object({
  version: z.string(),
  mode: z.enum(CLEAN_UP_MODES),
  /** Hex digest over every document that would be deleted, with its revision, and over all blockers. */
  digest: z.string(),
  /** Documents by collection; collections without any are left out. */
  counts: z.record(z.string(), count),
  total: count,
  /** In alphabetical order, at most 200 of each collection. */
  names: z.record(z.string(), z.array(z.string())),
  /** At most 100. Nothing is deleted while there are any. */
  blocked_by: z.array(blockerSchema),
});
export type CleanUpPreview = z.infer<typeof cleanUpPreviewSchema>;

/** How long a clean-up can be undone. */
export const CLEAN_UP_KEPT_DAYS = 30;

export const cleanedVersionSchema = z.object({
  id: idSchema,
  version: z.string(),
  mode: z.enum(CLEAN_UP_MODES),
  counts: z.record(z.string(), count),
  total: count,
  cleaned_at: timeSchema,
  cleaned_by: z.string(),
  /** After this time it is deleted for good. */
  kept_until: timeSchema,
  /** The backup that was made before the clean-up; it may be deleted already. */
  restore_point: idSchema.nullable(),
});
export type CleanedVersion = z.infer<typeof cleanedVersionSchema>;

const BASE = '/api/v3/setting/maintenance/cleanup';
const path = `${BASE}/versions/:version` as const;
const params = z.strictObject({ version: proxyVersionSchema });
const what = { project: idSchema, mode: z.enum(CLEAN_UP_MODES).default('all') };
const ruled = {
  tag: 'Clean-up',
  family: 'maintenance',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
} as const;
const shared = { ...ruled, path, params } as const;
const cleaned = z.strictObject({ clean_up_id: idSchema });
const inProject = z.strictObject({ project: idSchema });

export const cleanUpRoutes = {
  preview: defineRoute({
    ...shared,
    id: 'previewCleanUp',
    method: 'GET',
    summary:
      'List the documents of a retired proxy version that would be deleted from the project, and what blocks that',
    audit: null,
    query: z.strictObject(what),
    status: 200,
    response: cleanUpPreviewSchema,
  }),
  run: defineRoute({
    ...shared,
    id: 'cleanUpVersion',
    method: 'DELETE',
    summary:
      'Delete the documents of a retired proxy version in one transaction, after a restore point of the project; they can be restored for 30 days. With a digest: exactly what its preview has shown, or nothing',
    audit: 'version.clean_up',
    rate: 'command',
    query: z.strictObject({
      ...what,
      ...dryRunQuery,
      /** The digest of the preview: deletes exactly what the preview has shown, or nothing. */
      digest: z.hex().length(64).optional(),
    }),
    status: 200,
    response: z.object({
      version: z.string(),
      mode: z.enum(CLEAN_UP_MODES),
      deleted_counts: z.record(z.string(), count),
      total: count,
      /** The backup of the project that was made before; only this installation can open it. Null if there was nothing to delete. */
      restore_point: idSchema.nullable(),
      /** Id for the undo; null if there was nothing to delete. */
      clean_up: idSchema.nullable(),
      kept_until: timeSchema.nullable(),
    }),
  }),
  list: defineRoute({
    ...ruled,
    id: 'listCleanUps',
    method: 'GET',
    path: BASE,
    summary: 'List the clean-ups that can still be undone, newest first',
    audit: null,
    query: z.strictObject({ project: idSchema, limit: listQuery.limit, cursor: listQuery.cursor }),
    status: 200,
    response: listOf(cleanedVersionSchema),
  }),
  undo: defineRoute({
    ...ruled,
    id: 'undoCleanUp',
    method: 'POST',
    path: `${BASE}/:clean_up_id/undo`,
    summary: 'Restore what was cleaned up, with its revisions and ids: all of it or nothing',
    audit: 'version.undo_clean_up',
    rate: 'command',
    params: cleaned,
    query: inProject.extend(dryRunQuery),
    status: 200,
    response: z.object({ version: z.string(), counts: z.record(z.string(), count), total: count }),
  }),
  purge: defineRoute({
    ...ruled,
    id: 'purgeCleanUp',
    method: 'DELETE',
    path: `${BASE}/:clean_up_id`,
    summary: 'Delete what was cleaned up for good, before its retention ends',
    audit: 'version.purge_clean_up',
    params: cleaned,
    query: inProject.extend(dryRunQuery),
    status: 204,
  }),
};

export const cleanUpAuditWords = defineAuditWords({
  actions: {
    'version.clean_up': 'clean up proxy version',
    'version.purge_clean_up': 'purge removed documents of proxy version',
    'version.undo_clean_up': 'restore removed documents of proxy version',
  },
});
