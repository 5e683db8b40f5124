import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, timeSchema } from '../schemas.ts';
import { proxyVersionSchema } from './documents.ts';

/**
 * Which documents of the version go: `default-only`, those that every version of a project begins with and that carry the label
 * `is_default` with the value `true`; `non-default-only`, all others.
 */
export const CLEAN_UP_MODES = ['all', 'default-only', 'non-default-only'] as const;
export type CleanUpMode = (typeof CLEAN_UP_MODES)[number];

const count = z.number().int();

/** What is in the way: the version is still in use, or a document that stays uses one that would go. */
const blockerSchema = z.object({
  /** `services`, or the collection of a document. */
  kind: z.string(),
  name: z.string(),
  reason: z.string(),
});

export const cleanUpPreviewSchema = z.object({
  version: z.string(),
  mode: z.enum(CLEAN_UP_MODES),
  /** Of every document that would go, with its revision, and of all that is in the way. Hex. */
  digest: z.string(),
  /** Documents by collection; a collection of which nothing would go is left out. */
  counts: z.record(z.string(), count),
  total: count,
  /** In the order of the alphabet, at most 200 of each collection. */
  names: z.record(z.string(), z.array(z.string())),
  /** At most 100. While there are any, nothing is deleted. */
  blocked_by: z.array(blockerSchema),
});
export type CleanUpPreview = z.infer<typeof cleanUpPreviewSchema>;

/** So long what was cleaned up is kept and can be brought back. */
export const CLEAN_UP_KEPT_DAYS = 30;

export const cleanedVersionSchema = z.object({
  id: idSchema,
  version: z.string(),
  mode: z.enum(CLEAN_UP_MODES),
  /** Documents by collection. */
  counts: z.record(z.string(), count),
  total: count,
  cleaned_at: timeSchema,
  cleaned_by: z.string(),
  /** Then it is deleted for good. */
  kept_until: timeSchema,
  /** The backup that was made before; it may be gone. */
  restore_point: idSchema.nullable(),
});
export type CleanedVersion = z.infer<typeof cleanedVersionSchema>;

const BASE = '/api/v3/setting/maintenance/cleanup';
const path = `${BASE}/versions/:version` as const;
const params = z.strictObject({ version: proxyVersionSchema });
const what = { project: idSchema, mode: z.enum(CLEAN_UP_MODES).default('all') };
const ruled = { tag: 'Clean-up', access: { kind: 'roles', roles: ADMINS }, project: 'query' } as const;
const shared = { ...ruled, path, params } as const;
const cleaned = z.strictObject({ clean_up_id: idSchema });
const inProject = z.strictObject({ project: idSchema });

export const cleanUpRoutes = {
  preview: defineRoute({
    ...shared,
    id: 'previewCleanUp',
    method: 'GET',
    summary: 'Which documents of a retired proxy version would be deleted from the project, and what is in the way',
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
      'Takes the documents of a retired proxy version away as its preview says, in one transaction, after a restore point of the project was made; they are kept for 30 days',
    audit: 'version.clean_up',
    rate: 'command',
    query: z.strictObject({
      ...what,
      /** Of the preview. */
      digest: z.hex().length(64),
    }),
    status: 200,
    response: z.object({
      version: z.string(),
      mode: z.enum(CLEAN_UP_MODES),
      deleted_counts: z.record(z.string(), count),
      total: count,
      /** The project as it was before: a backup that opens at this installation. Null where there was nothing to delete. */
      restore_point: idSchema.nullable(),
      /** By which it can be brought back; null where there was nothing to delete. */
      clean_up: idSchema.nullable(),
      kept_until: timeSchema.nullable(),
    }),
  }),
  list: defineRoute({
    ...ruled,
    id: 'listCleanUps',
    method: 'GET',
    path: BASE,
    summary: 'What was cleaned up and can still be brought back, newest first',
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
    summary: 'Brings back what was cleaned up, with its revisions and under the ids that it had: all of it or nothing',
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
    summary: 'Deletes for good what was cleaned up, before its time is over',
    audit: 'version.purge_clean_up',
    params: cleaned,
    query: inProject.extend(dryRunQuery),
    status: 204,
  }),
};
