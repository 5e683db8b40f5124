import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { BerReader } from 'ldapts';
import { LdapFailure } from './failure.ts';

export interface LdapServer {
  readonly url: string;
  readonly start_tls: boolean;
}

/** LDAPMessage of an ExtendedRequest with the OID of StartTLS, as message 1 (RFC 4511, 4.12 and 4.14.1). */
const START_TLS = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);
const EXTENDED_RESPONSE = 0x78;
const ANSWER_BYTES_MAX = 4096;
const OVER = 'no answer in time';

/**
 * Opens a connection that may carry passwords: encrypted and verified, or to this machine. It does not use the LDAP
 * library for this, because the library reconnects without encryption and keeps data received before the encryption
 * started. Throws LdapFailure (`connect`, `tls`).
 */
export async function openSocket(
  { url, start_tls: startsTls }: LdapServer,
  { ca, timeoutMs, signal: ended }: { ca: string | null; timeoutMs: number; signal: AbortSignal },
): Promise<Socket> {
  if (ended.aborted) throw new LdapFailure('connect', OVER);
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isTls = protocol === 'ldaps:';
  const plain = connect({ host, port: Number(port) || (isTls ? 636 : 389) });
  plain.setNoDelay(true);
  // The next use reports an error that occurs while nobody is waiting; an unhandled event would end the process.
  plain.on('error', () => undefined);
  const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]);
  const end = () => plain.destroy(new Error(OVER));
  signal.addEventListener('abort', end, { once: true });
  let step: 'connect' | 'tls' = 'connect';
  try {
    await once(plain, 'connect', { signal });
    if (!isTls && !startsTls) return plain;
    step = 'tls';
    if (startsTls) await askForTls(plain);
    const options: ConnectionOptions = {
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== null && { ca }),
      minVersion: 'TLSv1.2',
    };
    return await encrypt(plain, options, signal);
  } catch (error) {
    plain.destroy();
    throw new LdapFailure(step, signal.aborted ? OVER : describe(error), { cause: error });
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function encrypt(plain: Socket, options: ConnectionOptions, signal: AbortSignal): Promise<Socket> {
  const secure = connectTls({ ...options, socket: plain });
  secure.on('error', () => undefined);
  try {
    await once(secure, 'secureConnect', { signal });
    return secure;
  } catch (error) {
    secure.destroy();
    throw error;
  }
}

/** Data after the answer and before the encryption starts was injected by a third party. */
async function askForTls(socket: Socket): Promise<void> {
  socket.write(START_TLS);
  let answer = Buffer.alloc(0);
  for (;;) {
    const chunk = await readSome(socket);
    answer = Buffer.concat([answer, chunk]);
    const length = lengthOf(answer);
    if (length === undefined && answer.length < ANSWER_BYTES_MAX) continue;
    if (length !== answer.length) throw new Error('the answer to StartTLS is not one');
    break;
  }
  const reader = new BerReader(answer);
  reader.readSequence();
  const isAnswer = reader.readInt() === 1 && reader.readSequence() === EXTENDED_RESPONSE;
  if (!isAnswer || reader.readEnumeration() !== 0) throw new Error('the server refuses StartTLS');
}

async function readSome(socket: Socket): Promise<Buffer> {
  const chunk: unknown = socket.read();
  if (Buffer.isBuffer(chunk)) return chunk;
  if (socket.readableEnded || socket.destroyed) throw new Error('the server ended the connection');
  const ended = new AbortController();
  try {
    await Promise.race([
      once(socket, 'readable', { signal: ended.signal }),
      once(socket, 'close', { signal: ended.signal }),
    ]);
  } finally {
    ended.abort();
  }
  return readSome(socket);
}

/** Length of a complete LDAPMessage (BER, definite length); undefined while it is incomplete. */
function lengthOf(bytes: Buffer): number | undefined {
  const first = bytes[1];
  if (first === undefined) return undefined;
  const more = first < 0x80 ? 0 : first & 0x7f;
  if (more > 2) throw new Error('the answer to StartTLS is not one');
  if (bytes.length < 2 + more) return undefined;
  const length = 2 + more + (more === 0 ? first : bytes.readUIntBE(2, more));
  return bytes.length >= length ? length : undefined;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error && typeof error.code === 'string' ? `${error.code}: ${error.message}` : error.message;
}
