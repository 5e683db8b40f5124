import type { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import type { LdapSettings } from '@flotilla/contract';
import { Client, ResultCodeError } from 'ldapts';
import { LdapFailure, type LdapStep } from './failure.ts';
import { type LdapServer, openSocket } from './socket.ts';

/** Limit for all answers to one request. A hostile server can ignore the search limits. */
const ANSWERS_MAX_BYTES = 16 * 1024 * 1024;

/** Receives every step. */
export type StepListener = (step: LdapStep) => void;

export interface Asking {
  /** Aborting ends the connection and every running request. */
  readonly signal: AbortSignal;
  readonly onStep?: StepListener;
}

/**
 * Runs `work` on its own connection, bound as the searching account, and closes it afterwards. Each answer has
 * `timeout_ms`. Throws LdapFailure.
 */
export async function withServer<T>(
  settings: LdapSettings,
  server: LdapServer,
  { signal, onStep = () => undefined }: Asking,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const socket = await openSocket(server, { ca: settings.ca, timeoutMs: settings.timeout_ms, signal });
  onStep(server.url.startsWith('ldaps:') || server.start_tls ? 'tls' : 'connect');
  const end = () => socket.destroy(new Error('the time for this is over'));
  signal.addEventListener('abort', end, { once: true });
  try {
    const client = clientOf(socket, settings.timeout_ms);
    await bindSearcher(client, settings);
    onStep('bind');
    return await work(client);
  } finally {
    signal.removeEventListener('abort', end);
    socket.destroy();
  }
}

export async function bindSearcher(
  client: Client,
  { bind_dn: dn, bind_password: password }: LdapSettings,
): Promise<void> {
  if (dn !== '' && !password) throw new LdapFailure('bind', 'bind_dn has no bind_password');
  await taking('bind', () => client.bind(dn, dn === '' ? '' : (password ?? '')));
}

export async function taking<T>(step: LdapStep, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof LdapFailure ? error : toFailure(step, error);
  }
}

export function toFailure(step: LdapStep, error: unknown): LdapFailure {
  const name = error instanceof ResultCodeError ? `the server answers ${error.code}` : 'no answer';
  return new LdapFailure(step, name, { cause: error });
}

function clientOf(socket: Socket, timeout: number): Client {
  let isUsed = false;
  return new Client({
    url: 'ldap://localhost',
    timeout,
    createConnection: () => {
      // A second connection would be unencrypted and anonymous.
      if (isUsed) throw new Error('the server ended the connection');
      isUsed = true;
      endBeyond(socket, ANSWERS_MAX_BYTES);
      return socket;
    },
  });
}

/**
 * The library buffers answers without a limit until its timeout. Requests are sent one at a time, so a write marks the
 * start of the next one.
 */
function endBeyond(socket: Socket, maxBytes: number): void {
  let bytes = 0;
  let asked = socket.bytesWritten;
  socket.on('data', (chunk: Buffer) => {
    if (socket.bytesWritten !== asked) bytes = 0;
    asked = socket.bytesWritten;
    bytes += chunk.length;
    if (bytes > maxBytes) socket.destroy(new Error('the server says more than is read of it'));
  });
}
