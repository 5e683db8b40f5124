import { ApiError, type CallInput, type CallOutput, documentRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Manifest } from '../manifest/kinds.ts';
import type { Problem } from '../manifest/source.ts';
import type { Scope } from '../records.ts';
import { type Change, formatValue, Refused } from './change.ts';

type DocumentManifest = Manifest & { kind: 'document' };
type ApplyBody = NonNullable<CallInput<typeof documentRoutes.apply>['body']>;
type ApplyResult = CallOutput<typeof documentRoutes.apply>['results'][number];

/** The controller accepts at most this number in one transaction. */
const DOCUMENTS_MAX = 1000;

/** Writes all documents in one transaction, or none. Throws `Refused` with the place of every problem. */
export async function applyDocuments(
  { connection, project }: Scope,
  manifests: readonly DocumentManifest[],
  { dryRun }: { dryRun: boolean },
): Promise<Change[]> {
  if (manifests.length === 0) return [];
  if (manifests.length > DOCUMENTS_MAX) {
    throw new CliFailure(
      EXIT.usage,
      `There are more than ${DOCUMENTS_MAX} documents, which is too many for one transaction. Apply fewer files at a time.`,
    );
  }
  const body = { project, documents: manifests.map((manifest) => manifest.body) } as ApplyBody;
  try {
    const answer = await connection.call(documentRoutes.apply, {
      query: dryRun ? { dry_run: 'true' } : {},
      body,
    });
    return answer.body.results.map(toChange);
  } catch (error) {
    if (error instanceof ApiError) throw refuse(error, manifests);
    throw error;
  }
}

/** Maps paths of the response, such as `documents[3].resource.x`, to places in the files. */
function refuse(error: ApiError, manifests: readonly DocumentManifest[]): Error {
  const problems: Problem[] = [];
  for (const { path, message } of error.body.details ?? []) {
    const [, index, field = ''] = /^documents\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const manifest = index === undefined ? undefined : manifests[Number(index)];
    if (!manifest) return error;
    problems.push(manifest.entry.problem(field, message));
  }
  return problems.length > 0 ? new Refused(error.status, problems) : error;
}

function describeDifference({ path, change, before, after }: NonNullable<ApplyResult['diff']>[number]): string {
  if (change === 'added') return `+ ${path}: ${formatValue(after)}`;
  if (change === 'removed') return `- ${path}: ${formatValue(before)}`;
  return `~ ${path}: ${formatValue(before)} -> ${formatValue(after)}`;
}

export function toChange({ collection, name, version, outcome, diff = [], warnings = [] }: ApplyResult): Change {
  return {
    kind: collection,
    name,
    version,
    outcome,
    // The diff of a new document has one change with an empty path. It is left out, because the file shows the contents.
    diff: diff.filter(({ path }) => path !== '').map(describeDifference),
    warnings: warnings.map(({ path, message }) => `${path}: ${message}`),
  };
}
