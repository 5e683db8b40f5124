import { parentPort } from 'node:worker_threads';
import { runTrial } from './run-trial.ts';
import { READY, type TrialJob } from './trial-job.ts';

// The entry of the threads that `trial-thread.ts` starts. Anything thrown ends the thread, and its owner hears of it.
parentPort?.on('message', (job: TrialJob) => parentPort?.postMessage(runTrial(job)));
parentPort?.postMessage(READY);
