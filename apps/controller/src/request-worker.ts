import { serveOwner } from '@flotilla/kit';
import { composeWorker } from './compose-worker.ts';
import type { RelayedRequest } from './platform/http/relay.ts';
import type { RequestWorker, WorkerSetup } from './platform/large-requests/worker.ts';

let worker: RequestWorker | undefined;

// Entry of the processes that `large-requests.ts` starts. Errors are sent to the owner.
serveOwner(async (question: WorkerSetup | RelayedRequest) => {
  if ('config' in question) {
    worker = await composeWorker(question);
    return { isReady: true };
  }
  if (worker === undefined) throw new Error('a request before the setup');
  return worker.answer(question);
});
