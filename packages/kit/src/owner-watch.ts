import { Socket } from 'node:net';
import { OWNER_PIPE } from './owner-pipe.ts';

// Entry of the thread that `serveOwner` starts. It notices that the owner has ended even while the main thread is busy,
// and kills the process.
const end = () => process.kill(process.pid, 'SIGKILL');
new Socket({ fd: OWNER_PIPE }).on('error', end).on('close', end).resume();
