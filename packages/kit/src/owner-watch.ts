import { Socket } from 'node:net';
import { OWNER_PIPE } from './owner-pipe.ts';

// The entry of a thread that `serveOwner` starts: it hears of the owner's end while the process's own thread is at work, and
// ends the process. Nobody is left to be told why.
const end = () => process.kill(process.pid, 'SIGKILL');
new Socket({ fd: OWNER_PIPE }).on('error', end).on('close', end).resume();
