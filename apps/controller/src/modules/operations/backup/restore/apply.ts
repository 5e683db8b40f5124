import type { RestoreResult } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import type { RequestContext } from '../../../../platform/http/context.ts';
import { prepareAtOnce } from '../../../../platform/http/preparation.ts';
import { compareKept, writeKept } from '../../../../platform/settings/index.ts';
import { createPolicy, findPolicies, lockPolicies, replacePolicy } from '../../../configuration/public.ts';
import type { PolicyManifest, ServiceManifest } from '../bundle/manifests.ts';
import { findServices, findTargets } from '../project-store.ts';
import { applyDocumentManifests } from './apply-documents.ts';
import { type Applied, type ApplyDeps, type Applying, type ApplyOrder, EXISTS } from './applying.ts';
import { summarize } from './summary.ts';

/**
 * Applies a bundle in the given transaction, with the caller's rights and the checks of ordinary requests. Collects all refusals,
 * so that a dry run can show them.
 */
export async function applyBundle(deps: ApplyDeps, ctx: RequestContext, tx: Tx, order: ApplyOrder): Promise<Applied> {
  const work: Applying = { ...order, deps, ctx: joinTransaction(ctx, tx), tx, results: [], refusals: [] };
  // Every writer takes the locks in this order.
  await applyDocumentManifests(work);
  const missing = await applyPolicies(work);
  // Services refer to documents and policies. If some of those were refused, so would be the services.
  if (work.refusals.length === 0) await applyServices(work, missing);
  await applySettings(work);
  return { summary: summarize(work.results), refusals: work.refusals };
}

function joinTransaction(ctx: RequestContext, tx: Tx): RequestContext {
  return {
    ...ctx,
    project: ctx.project,
    access: ctx.access,
    ifMatch: undefined,
    ifNoneMatch: undefined,
    dryRun: false,
    db: tx,
    write: async (one) => (await one(tx)).reply,
    prepare: prepareAtOnce,
  };
}

/** Returns the names of policies that cannot be created because the backup does not contain their secrets. */
async function applyPolicies(work: Applying): Promise<ReadonlySet<string>> {
  const { bundle, ctx, tx } = work;
  await lockPolicies(tx, ctx.project.id);
  const names = bundle.policies.map(({ name }) => name);
  const present = new Map((await findPolicies(tx, ctx.project.id, names)).map((row) => [row.name, row]));
  const missing = new Set<string>();
  for (const manifest of bundle.policies)
    await attempt(work, { kind: 'policies', name: manifest.name }, async () => {
      const row = present.get(manifest.name);
      if (row && work.onConflict === 'skip') return { outcome: 'skipped', reason: EXISTS };
      const kept = new Set(row?.files.flatMap((file) => ('sealed_base64' in file ? [file.path] : [])));
      const lost = manifest.secret_files?.filter((path) => !kept.has(path)) ?? [];
      if (lost.length > 0) {
        if (!row) missing.add(manifest.name);
        return { outcome: 'skipped', reason: `the backup does not contain its secret files: ${lost.join(', ')}` };
      }
      return { outcome: await writePolicy(work, manifest, row !== undefined) };
    });
  return missing;
}

async function writePolicy({ deps, ctx, tx }: Applying, manifest: PolicyManifest, exists: boolean) {
  const { name, secret_files: secrets = [], ...content } = manifest;
  let isUnchanged = false;
  const write = {
    ...deps.policies,
    ctx: {
      ...ctx,
      write: async (one: Parameters<RequestContext['write']>[0]) => {
        const outcome = await one(tx);
        isUnchanged = outcome.isUnchanged === true;
        return outcome.reply;
      },
    },
  };
  if (!exists) {
    await createPolicy(write, name, content);
    return 'created';
  }
  const files = [...content.files, ...secrets.map((path) => ({ path, secret: true as const }))];
  await replacePolicy(write, name, { ...content, files });
  return isUnchanged ? 'unchanged' : 'changed';
}

async function applyServices(work: Applying, missing: ReadonlySet<string>): Promise<void> {
  const { bundle, ctx, tx } = work;
  const names = bundle.services.map(({ name }) => name);
  const present = new Map((await findServices(tx, ctx.project.id, names)).map((row) => [row.name, row]));
  for (const manifest of bundle.services)
    await attempt(work, { kind: 'services', name: manifest.name }, async () => {
      const row = present.get(manifest.name);
      if (row && work.onConflict === 'skip') return { outcome: 'skipped', reason: EXISTS };
      const lost = manifest.policies.filter((name) => missing.has(name));
      if (lost.length > 0)
        return { outcome: 'skipped', reason: `it uses policies that are skipped: ${lost.join(', ')}` };
      return { outcome: await writeService(work, manifest, row) };
    });
}

async function writeService(
  { deps, ctx, tx }: Applying,
  manifest: ServiceManifest,
  row: { readonly id: string; readonly revision: number } | undefined,
) {
  const clients = row ? await findTargets(tx, row.id) : [];
  const document = { ...manifest, project: ctx.project.id, clients };
  if (!row) {
    await deps.services.create(tx, ctx, document);
    return 'created';
  }
  const { revision } = await deps.services.replace(tx, ctx, row.id, document);
  return revision === row.revision ? 'unchanged' : 'changed';
}

async function applySettings(work: Applying): Promise<void> {
  const { bundle, ctx, tx, deps } = work;
  for (const kept of bundle.settings)
    await attempt(work, { kind: 'settings', name: kept.label }, async () => {
      if (bundle.header.secret_free && kept.canBeSecret)
        return { outcome: 'skipped', reason: 'it may contain secrets, and the backup has none' };
      const order = { project: ctx.project.id, keyring: deps.documents.keyring, kept };
      const found = await compareKept(tx, order);
      if (found && work.onConflict === 'skip') return { outcome: 'skipped', reason: EXISTS };
      if (found?.isSame) return { outcome: 'unchanged' };
      await writeKept(ctx, tx, order);
      return { outcome: found ? 'changed' : 'created' };
    });
}

type Attempted = Pick<RestoreResult, 'outcome' | 'reason'>;

async function attempt(
  { results, refusals }: Applying,
  what: Pick<RestoreResult, 'kind' | 'name'>,
  write: () => Promise<Attempted>,
): Promise<void> {
  try {
    results.push({ ...what, ...(await write()) });
  } catch (error) {
    if (!(error instanceof AppError) || error.httpStatus >= 500) throw error;
    refusals.push(error);
    results.push({ ...what, outcome: 'refused', reason: error.message });
  }
}
