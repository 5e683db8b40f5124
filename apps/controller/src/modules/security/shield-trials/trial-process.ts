import { failTrial } from '@flotilla/contract';
import { type Closable, type JobRefusal, SharedProcess, type SharedProcessOptions } from '@flotilla/kit';
import type { TrialAnswer, TrialJob, TrialPolicy } from './trial-job.ts';

/** The worker is next to this file, as source or as its own bundle. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './trial-worker.ts' : './controller-trial-worker.mjs',
  import.meta.url,
);

const REFUSALS = { busy: 'trial.busy', too_slow: 'trial.too_slow', too_large: 'trial.too_large' } as const;

export type TrialProcessOptions = Omit<SharedProcessOptions, 'entry' | 'refuse'>;

/** The assumed size of a policy given as an object; these are rare and never large. */
const OBJECT_CHARS = 1024 * 1024;

/**
 * Runs trials in another process, which projects share, so that no policy or recorded request blocks the controller.
 */
export class TrialProcess implements Closable {
  readonly #process: SharedProcess<TrialJob, TrialAnswer>;

  constructor(options: TrialProcessOptions) {
    const refuse = (why: JobRefusal) => failTrial(REFUSALS[why], { seconds: options.deadlineMs / 1000 });
    this.#process = new SharedProcess({ ...options, entry: WORKER, refuse });
  }

  /** Pid of the process, if it runs; an idle one ends on its own. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Rejects with trial.busy, trial.too_slow or trial.too_large, or with the error of the process. */
  run(project: string, job: TrialJob): Promise<TrialAnswer> {
    return this.#process.run(project, job, sizeOf(job));
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

/** Approximate size of a job. */
function sizeOf(job: TrialJob): number {
  if (job.kind === 'explain') return sizeOfPolicies(job.policies) + job.requestChars;
  return sizeOfPolicies(job.candidate) + sizeOfPolicies(job.baseline ?? []) + job.records.text.length;
}

function sizeOfPolicies(policies: readonly TrialPolicy[]): number {
  return policies.reduce(
    (sum, { content, files }) =>
      files.reduce((total, file) => total + file.content_base64.length, sum) +
      (typeof content === 'string' ? content.length : OBJECT_CHARS),
    0,
  );
}
