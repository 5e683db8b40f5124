import { applyResultSchema } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import * as z from 'zod';
import { applyDocuments, findDocumentHeads, lockDocuments } from '../../../configuration/public.ts';
import { type DocumentManifest, nameDocument } from '../bundle/manifests.ts';
import { type Applying, EXISTS } from './applying.ts';

const answerSchema = z.object({
  results: z.array(applyResultSchema.pick({ collection: true, name: true, version: true, outcome: true })),
});
const refusedSchema = z.array(
  z.object({ collection: z.string(), name: z.string(), version: z.string(), message: z.string() }),
);

/** Applies all documents in one batch, so that references between them are checked together. */
export async function applyDocumentManifests(work: Applying): Promise<void> {
  const { deps, ctx, bundle, results, refusals } = work;
  const wanted = work.onConflict === 'skip' ? await skipPresent(work) : bundle.documents;
  if (wanted.length === 0) return;
  const missing = new Map(wanted.map((manifest) => [nameDocument(manifest), manifest.private ?? []]));
  const documents = wanted.map(({ private: _, ...document }) => document);
  try {
    const { body } = await applyDocuments(deps.documents, ctx, { project: ctx.project.id, documents });
    for (const { outcome, ...key } of answerSchema.parse(body).results) {
      if (outcome === 'deleted') continue;
      const name = nameDocument(key);
      const secrets = outcome === 'created' ? (missing.get(name) ?? []) : [];
      results.push({ kind: 'documents', name, outcome, ...(secrets.length > 0 && { missing_secrets: secrets }) });
    }
  } catch (error) {
    const refused = refusedSchema.safeParse(error instanceof AppError ? error.extra?.errors : undefined);
    if (!(error instanceof AppError) || !refused.success) throw error;
    refusals.push(error);
    for (const { message, ...key } of refused.data)
      results.push({ kind: 'documents', name: nameDocument(key), outcome: 'refused', reason: message });
  }
}

/** Returns the documents that do not exist yet. */
async function skipPresent({ ctx, tx, bundle, results }: Applying): Promise<DocumentManifest[]> {
  const wanted: DocumentManifest[] = [];
  const byVersion = Map.groupBy(bundle.documents, ({ version }) => version);
  // Every batch takes these locks in this order.
  for (const version of [...byVersion.keys()].sort()) {
    const manifests = byVersion.get(version) ?? [];
    const scope = { project: ctx.project.id, version };
    await lockDocuments(tx, scope);
    const rows = await findDocumentHeads(tx, scope, manifests);
    const present = new Set(rows.map(({ collection, name }) => `${collection}/${name}`));
    for (const manifest of manifests) {
      if (present.has(`${manifest.collection}/${manifest.name}`))
        results.push({ kind: 'documents', name: nameDocument(manifest), outcome: 'skipped', reason: EXISTS });
      else wanted.push(manifest);
    }
  }
  return wanted;
}
