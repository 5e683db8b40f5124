import { serveOwner } from '@flotilla/kit';
import { runTrial } from './run-trial.ts';

// The entry of the processes that `trial-process.ts` starts. What it throws its owner hears of.
serveOwner(runTrial);
