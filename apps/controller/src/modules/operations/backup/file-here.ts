import { failBackup } from '@flotilla/contract';
import { PermanentFailure, type StepResult } from '../../../platform/jobs/index.ts';
import type { BackupFolder } from './folder.ts';
import type { BackupRecord } from './store.ts';

/** A job fails if no controller with the file has taken it by then. */
const DEFER_MAX_MS = 120_000;
const RETRY_MS = 250;

/**
 * Jobs run on any controller, but only one of them has the file. Returns undefined if it is this one. Otherwise returns a result
 * that lets another controller retry the step, and fails the job two minutes after `since`, the time of the request.
 */
export async function deferIfFileMissing(
  { folder }: { readonly folder: BackupFolder },
  { file }: Pick<BackupRecord, 'file'>,
  since: Date,
): Promise<StepResult | undefined> {
  if (await folder.has(file)) return undefined;
  if (Date.now() - since.getTime() < DEFER_MAX_MS) return { kind: 'again', afterMs: RETRY_MS };
  const { code, message } = failBackup('backup.file_elsewhere');
  throw new PermanentFailure(code, message);
}
