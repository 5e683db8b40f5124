import { failBackup, restoreChoicesSchema } from '@flotilla/contract';
import type { RestoreTest } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import type { JobActor } from '../jobs/index.ts';
import { listSections, requireFitting } from './rebuild.ts';
import { asRequest } from './restore/job-context.ts';
import { type RestoreDeps, tryOut, withSource } from './restore/source.ts';
import { type Opening, readWhole } from './service.ts';
import type { BackupRecord } from './store.ts';

/**
 * Opens a backup as somebody would who needs it, and does what a restore would do first: of a project, all of it is written
 * into the project and taken back; of an installation, every row is one that a rebuild takes. Throws nothing that is wrong
 * with the backup: that is the answer.
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
  const known = listSections();
  let rows = 0;
  const { header } = await readWhole(deps, row, opening, {
    onRow: async (section) => {
      if (!known.has(section)) throw failBackup('backup.tampered', { reason: 'it has a section that we do not know' });
      rows += 1;
    },
  });
  requireFitting(header);
  return `Every one of its ${rows} rows can be read and put into an empty database of this version.`;
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
  const choices = restoreChoicesSchema.parse({ on_conflict: 'replace' });
  const { creates, conflicts, unchanged } = await withSource(deps, { row, opening }, (source) =>
    tryOut(deps, request, { source, choices, signal: opening.signal }),
  );
  const created = creates.reduce((sum, { count }) => sum + count, 0);
  return `It was put into the project and taken back: ${created} created, ${conflicts.length} replaced, ${unchanged} the same.`;
}
