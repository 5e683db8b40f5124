import { labelsSchema } from '@flotilla/contract';
import * as z from 'zod';
import type { BackupRow } from '../sealed.ts';
import { check, failTampered, id, parseOpen, partsSchema } from './check.ts';
import type { HeldRows } from './held-rows.ts';

/** Revisions as they were, in their order, by the id that the thing has in the backup. */
export interface History {
  readonly documents: ReadonlyMap<string, readonly DocumentRevision[]>;
  readonly policies: ReadonlyMap<string, readonly PolicyRevision[]>;
  readonly isTooLarge: boolean;
}

const time = z.iso.datetime({ offset: true });
const row = {
  revision: z.int().min(1),
  description: z.string().max(4096).nullable(),
  created_at: time,
  created_by: z.string().max(512),
};
const documentRevision = z.object({
  ...row,
  document_id: id,
  type: z.string().max(512),
  labels: labelsSchema,
  resource: z.record(z.string(), z.json()),
  sealed: z
    .base64()
    .nullable()
    .transform((open) => (open === null ? [] : check(partsSchema, parseOpen(open)))),
  private: z.array(z.strictObject({ path: z.string().max(4096), updated_at: time })),
});
const policyRevision = z.object({
  ...row,
  policy_id: id,
  text: z.string(),
  digest: z.hex().length(64),
  files: z.array(
    z.union([
      z.strictObject({ path: z.string().max(512), content_base64: z.base64() }),
      z.strictObject({ path: z.string().max(512), open_base64: z.base64(), bytes: z.int(), updated_at: time }),
    ]),
  ),
});
export type DocumentRevision = z.output<typeof documentRevision>;
export type PolicyRevision = z.output<typeof policyRevision>;

export function readHistory(rows: Pick<HeldRows, 'of' | 'isHistoryTooLarge'>): History {
  return {
    documents: group(rows.of('document_revisions'), documentRevision, 'document_id', rows.of('documents')),
    policies: group(rows.of('policy_revisions'), policyRevision, 'policy_id', rows.of('policies')),
    isTooLarge: rows.isHistoryTooLarge,
  };
}

/** Each belongs to something that is in the backup, and has a number of its own. */
function group<K extends string, T extends { readonly revision: number } & Record<K, string>>(
  rows: readonly BackupRow[],
  schema: z.ZodType<T>,
  via: K,
  owners: readonly BackupRow[],
): Map<string, T[]> {
  const known = new Set(owners.map((owner) => owner.id));
  const groups = Map.groupBy(
    rows.map((one) => check(schema, one)),
    (one): string => one[via],
  );
  for (const [owner, revisions] of groups) {
    if (!known.has(owner)) throw failTampered('a revision of nothing that is in the backup');
    if (new Set(revisions.map(({ revision }) => revision)).size < revisions.length)
      throw failTampered('a revision that is there twice');
    revisions.sort((a, b) => a.revision - b.revision);
  }
  return groups;
}
