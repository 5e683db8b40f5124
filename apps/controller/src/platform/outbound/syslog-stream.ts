import { Buffer } from 'node:buffer';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { withDeadline } from '@flotilla/kit';
import { type AddressGuard, createGuardedLookup, requireHost } from './address.ts';

export interface SyslogReceiver {
  readonly host: string;
  readonly port: number;
  /** Undefined: without TLS. The certificate of the receiver is always verified, against `ca` or the authorities of the system. */
  readonly tls:
    | { readonly ca?: string | undefined; readonly cert?: string | undefined; readonly key?: string | undefined }
    | undefined;
  /** Undefined: any address, for receivers that the owners of the installation have chosen. */
  readonly guard?: AddressGuard;
  readonly connectTimeoutMs: number;
  readonly writeTimeoutMs: number;
  /** A receiver that does not close its side in the time of writing has not confirmed the batch. Default: it has. */
  readonly mustClose?: boolean;
  readonly signal?: AbortSignal;
}

/** For a receiver that has accepted everything and does not close its side. */
export const SYSLOG_CLOSE_WAIT_MS = 2000;

/**
 * Sends messages over TCP with octet counting (RFC 6587, 3.4.1; RFC 5425 with TLS), on one connection per batch. Syslog has no answers: the
 * only acknowledgement is that the receiver reads to the end of the stream and closes its side, so the connection ends with the batch.
 * `check` runs when the receiver is connected, and may refuse to send.
 */
export async function sendSyslogStream(
  messages: readonly Buffer[],
  receiver: SyslogReceiver,
  check: () => void,
): Promise<void> {
  const socket = await connect(receiver);
  const interrupt = () => socket.destroy(new Error('the delivery was interrupted'));
  receiver.signal?.addEventListener('abort', interrupt);
  // Discards what the receiver sends; unread data would hide the end of its stream.
  socket.resume();
  const ended = new Promise<void>((resolve, reject) => {
    socket.once('end', resolve).once('close', resolve).once('error', reject);
  });
  ended.catch(() => undefined);
  try {
    check();
    const flushed = new Promise<void>((resolve) => {
      socket.end(Buffer.concat(messages.map(frame)), resolve);
    });
    const failed = ended.then(() => {
      if (!socket.writableFinished) throw new Error('the connection was closed before everything was sent');
    });
    await withDeadline(
      Promise.race([flushed, failed]),
      receiver.writeTimeoutMs,
      'the receiver does not take what is sent',
    );
    await waitForEnd(ended, receiver);
  } finally {
    receiver.signal?.removeEventListener('abort', interrupt);
    socket.destroy();
  }
}

async function waitForEnd(ended: Promise<void>, { mustClose = false, writeTimeoutMs }: SyslogReceiver): Promise<void> {
  const message = 'the receiver does not close its side, which would confirm what was sent';
  if (mustClose) return withDeadline(ended, writeTimeoutMs, message);
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, SYSLOG_CLOSE_WAIT_MS).unref())]);
}

function frame(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

async function connect({ host, port, tls, guard, connectTimeoutMs }: SyslogReceiver): Promise<Socket> {
  let lookup: LookupFunction | undefined;
  if (guard) {
    requireHost({ host, port }, guard);
    lookup = createGuardedLookup(guard, port);
  }
  const place = { host, port, ...(lookup && { lookup }) };
  const socket = tls ? connectTls({ ...place, ...tlsOptions(host, tls) }) : connectTcp(place);
  const connected = new Promise<void>((resolve, reject) => {
    socket.once(tls ? 'secureConnect' : 'connect', resolve).once('error', reject);
  });
  try {
    await withDeadline(connected, connectTimeoutMs, 'the receiver does not answer');
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  }
  return socket;
}

function tlsOptions(host: string, { ca, cert, key }: NonNullable<SyslogReceiver['tls']>) {
  return {
    minVersion: 'TLSv1.2' as const,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca && { ca }),
    ...(cert && key && { cert, key }),
  };
}
