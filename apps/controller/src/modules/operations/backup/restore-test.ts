import { failBackup } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import type { JobActor } from '../../../platform/jobs/index.ts';
import { listSections, requireSameSchema } from './rebuild.ts';
import { asRequest } from './restore/job-context.ts';
import { dryRun, type RestoreDeps, withBundle } from './restore/source.ts';
import { type Opening, readWhole } from './service.ts';
import type { BackupRecord } from './store.ts';
import type { RestoreTest } from './tables.ts';

/**
 * Checks that a backup can be restored: a project with a dry run, an installation by reading every row. Returns defects of the
 * backup in the result and throws only other failures.
 */
export async function testRestore(
  deps: RestoreDeps,
  row: BackupRecord,
  { actor, ...opening }: Opening & { readonly actor: JobActor },
): Promise<RestoreTest> {
  const at = new Date();
  try {
    const message =
      row.project_id === null
        ? await testRebuild(deps, row, opening)
        : await testInProject(deps, { row, projectId: row.project_id, actor, opening, now: at });
    return { at: at.toISOString(), is_good: true, message };
  } catch (error) {
    if (!(error instanceof AppError) || error.httpStatus >= 500) throw error;
    return { at: at.toISOString(), is_good: false, message: error.message };
  }
}

async function testRebuild(deps: RestoreDeps, row: BackupRecord, opening: Opening): Promise<string> {
  const known = listSections(deps.sections);
  let rows = 0;
  const { header } = await readWhole(deps, row, opening, {
    onRow: async (section) => {
      if (!known.has(section)) throw failBackup('backup.tampered', { reason: 'it has an unknown section' });
      rows += 1;
    },
  });
  requireSameSchema(header, deps.migrations);
  return `All ${rows} rows can be read and restored into an empty database of this version.`;
}

interface InProject {
  readonly row: BackupRecord;
  readonly projectId: string;
  readonly actor: JobActor;
  readonly opening: Opening;
  readonly now: Date;
}

async function testInProject(deps: RestoreDeps, { row, projectId, actor, opening, now }: InProject): Promise<string> {
  const request = await asRequest(deps, { actor, projectId, now });
  const { summary, refusals } = await withBundle(deps, { row, opening }, (bundle) =>
    dryRun(deps, request, { bundle, onConflict: 'replace', signal: opening.signal }),
  );
  if (refusals[0]) throw refusals[0];
  const { created, changed, unchanged } = summary.counts;
  return `A dry run into the project would create ${created}, change ${changed} and leave ${unchanged} unchanged.`;
}
