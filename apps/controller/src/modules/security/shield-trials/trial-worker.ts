import { serveOwner } from '@flotilla/kit';
import { runTrial } from './run-trial.ts';

// Entry of the processes that `trial-process.ts` starts. Errors are sent to the owner.
serveOwner(runTrial);
