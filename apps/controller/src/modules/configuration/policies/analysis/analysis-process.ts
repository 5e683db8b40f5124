import { serveOwner } from '@flotilla/kit';
import { runAnalysis } from './analyses.ts';

// Entry of the process that `policy-worker.ts` starts. The owner receives its errors.
serveOwner(runAnalysis);
