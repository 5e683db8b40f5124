import { failBackup } from '@flotilla/contract';
import { PermanentFailure, type StepResult } from '../../../platform/jobs/index.ts';
import type { BackupFolder } from './folder.ts';
import type { BackupRecord } from './store.ts';

/** A job that no controller with the file has taken by then is told so. */
const ELSEWHERE_MAX_MS = 120_000;
const AGAIN_MS = 250;

/**
 * A file lies at one controller, and jobs run at any: undefined where it is here, else how the step ends, so that another
 * controller takes it. `since`: when the work was asked for.
 */
export async function leaveToOthers(
  { folder }: { readonly folder: BackupFolder },
  { file }: Pick<BackupRecord, 'file'>,
  since: Date,
): Promise<StepResult | undefined> {
  if (await folder.has(file)) return undefined;
  if (Date.now() - since.getTime() < ELSEWHERE_MAX_MS) return { kind: 'again', afterMs: AGAIN_MS };
  const { code, message } = failBackup('backup.file_elsewhere');
  throw new PermanentFailure(code, message);
}
