import { CliFailure, exitCodeOfStatus } from '../exit-codes.ts';
import type { Manifest } from '../manifest/kinds.ts';
import { refuseFiles } from '../manifest/load.ts';
import type { Problem } from '../manifest/source.ts';
import { findServiceId, type Scope } from '../records.ts';
import { type Change, Refused } from './change.ts';
import { applyDocuments } from './documents.ts';
import { type PlannedPolicy, planPolicy } from './policies.ts';
import { applyService } from './services.ts';

/**
 * Applies all manifests. The controller checks policies and documents before the first one is written, and writes all
 * documents in one transaction. Services are last, because they refer to both.
 */
export async function applyManifests(
  scope: Scope,
  manifests: readonly Manifest[],
  options: { dryRun: boolean },
): Promise<Change[]> {
  const documents = manifests.filter((manifest) => manifest.kind === 'document');
  const policies = manifests.filter((manifest) => manifest.kind === 'policy');
  const services = manifests.filter((manifest) => manifest.kind === 'service');

  const refusals: Refused[] = [];
  const collect = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusals.push(error);
      return undefined;
    }
  };

  const planned: PlannedPolicy[] = [];
  for (const policy of policies) {
    const plan = await collect(() => planPolicy(scope, policy));
    if (plan) planned.push(plan);
  }
  const needsPlan = options.dryRun || policies.length + services.length > 0;
  let changes = needsPlan ? ((await collect(() => applyDocuments(scope, documents, { dryRun: true }))) ?? []) : [];
  failIfRefused(refusals);

  if (!options.dryRun) {
    for (const plan of planned) await plan.commit();
    changes = (await collect(() => applyDocuments(scope, documents, { dryRun: false }))) ?? [];
    failIfRefused(refusals, planned.length > 0 ? 'The policies were written; the documents were refused:' : undefined);
  }
  const isNew = changes.some(({ outcome }) => outcome === 'created') || planned.some(isCreated);
  const done: Change[] = [...planned.map(({ change }) => change), ...changes];
  for (const service of services) {
    const change = await collect(async () => {
      try {
        return await applyService(scope, service, options);
      } catch (error) {
        // The service may name documents of the same run, which do not exist in a dry run.
        if (options.dryRun && isNew && error instanceof Refused && error.isOnlyMissing)
          return untested(scope, service.name);
        throw error;
      }
    });
    if (change) done.push(change);
  }
  failIfRefused(refusals, done.length > 0 ? 'Everything else was written; these services were refused:' : undefined);
  return done;
}

function isCreated({ change }: PlannedPolicy): boolean {
  return change.outcome === 'created';
}

async function untested(scope: Scope, name: string): Promise<Change> {
  const warning = 'cannot be checked until the new documents and policies exist';
  const outcome = (await findServiceId(scope, name)) === undefined ? 'created' : 'changed';
  return { kind: 'services', name, version: null, outcome, diff: [], warnings: [warning] };
}

function failIfRefused(refusals: readonly Refused[], message = 'Nothing was changed:'): void {
  const [first] = refusals;
  if (!first) return;
  const problems: Problem[] = refusals.flatMap((refusal) => refusal.problems);
  const { lines } = refuseFiles(problems);
  throw new CliFailure(exitCodeOfStatus(first.status), message, lines);
}
