import { parentPort, workerData } from 'node:worker_threads';
import { loadPolicyFiles, type PolicyFile } from '@flotilla/policy';

// The entry of the thread that `load-bundle.ts` starts for a large bundle.
parentPort?.postMessage(loadPolicyFiles(workerData as readonly PolicyFile[]));
