import { failTrial } from '@flotilla/contract';
import { type Closable, type JobRefusal, SharedProcess, type SharedProcessOptions } from '@flotilla/kit';
import type { TrialAnswer, TrialJob, TrialPolicy } from './trial-job.ts';

/** The worker lies beside this file, as source or as a bundle of its own. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './trial-worker.ts' : './controller-trial-worker.mjs',
  import.meta.url,
);

const REFUSALS = { busy: 'trial.busy', too_slow: 'trial.too_slow', too_large: 'trial.too_large' } as const;

export type TrialProcessOptions = Omit<SharedProcessOptions, 'entry' | 'refuse'>;

/** A policy that is given as an object is not measured; few are, and none is large. */
const OBJECT_CHARS = 1024 * 1024;

/** Does trials in a process of its own, which projects share: no policy and no recorded request holds up anything else. */
export class TrialProcess implements Closable {
  readonly #process: SharedProcess<TrialJob, TrialAnswer>;

  constructor(options: TrialProcessOptions) {
    const refuse = (why: JobRefusal) => failTrial(REFUSALS[why], { seconds: options.deadlineMs / 1000 });
    this.#process = new SharedProcess({ ...options, entry: WORKER, refuse });
  }

  /** Of the process, where there is one; one that is idle ends by itself. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Rejects with trial.busy, trial.too_slow or trial.too_large, and with what broke. */
  run(project: string, job: TrialJob): Promise<TrialAnswer> {
    return this.#process.run(project, job, sizeOf(job));
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

/** What a job brings, about. */
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
