import { spawn } from 'node:child_process';
import { isIPv6 } from 'node:net';
import { err, ok, type Result } from '@flotilla/kit';
import { PROGRAM_ENV } from './program-env.ts';

/** The release of the addresses waits for this long at most. */
const TIMEOUT_MS = 500;
/** So many conditions are one run of the program. */
const PER_RUN = 64;
const COMPLAINT_MAX = 300;

/**
 * Ends all TCP connections to the addresses of this host: the kernel sends a reset to each client. Call it while the addresses are
 * here, because a reset cannot be sent from an address that is gone. Programs go on to listen. An error is a complaint of `ss`.
 */
export async function closeConnections(addresses: readonly string[]): Promise<Result<undefined, string>> {
  const runs = Array.from({ length: Math.ceil(addresses.length / PER_RUN) }, (_, i) =>
    kill(addresses.slice(i * PER_RUN, (i + 1) * PER_RUN)),
  );
  const complaint = (await Promise.all(runs)).find((one) => one !== '');
  return complaint === undefined ? ok(undefined) : err(complaint);
}

/** Resolves with the complaint; empty: there is none. */
function kill(addresses: readonly string[]): Promise<string> {
  // `connected` is every state but those of programs that listen.
  const hosts = addresses.map((address) => (isIPv6(address) ? `[${address}]` : address));
  const filter = hosts.flatMap((host, i) => [...(i === 0 ? [] : ['or']), 'src', host]);
  const argv = ['--no-header', '--numeric', '--tcp', '--kill', 'state', 'connected', '(', ...filter, ')'];
  return new Promise((resolve) => {
    const child = spawn('ss', argv, { env: PROGRAM_ENV, stdio: ['ignore', 'ignore', 'pipe'], timeout: TIMEOUT_MS });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(0, COMPLAINT_MAX);
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? '' : said.trim() || 'ss does not end'));
  });
}
