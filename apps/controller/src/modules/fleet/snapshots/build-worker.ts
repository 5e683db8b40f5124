import { serveOwner } from '@flotilla/kit';
import { runBuild } from './build-job.ts';

// Entry of the processes that `large-builds.ts` starts. Errors are sent to the owner.
serveOwner(runBuild);
