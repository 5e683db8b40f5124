import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SYSLOG_SETTINGS } from '@flotilla/contract';
import { withDeadline } from '@flotilla/kit';
import type * as z from 'zod';
import type { Batch, Transport } from './delivery.ts';
import { formatEntry, formatHead } from './syslog-format.ts';

export type SyslogSettings = z.output<(typeof SYSLOG_SETTINGS)['schema']>;

/**
 * RFC 5426, 3.2 requires receivers to accept 2,048 bytes and recommends 8,192; a longer datagram is truncated with a
 * mark at its end.
 */
const DATAGRAM_MAX = 8192;
const CUT_MARK = Buffer.from(' [cut]');
/** For a receiver that has accepted everything and does not close its side. */
const CLOSE_WAIT_MS = 2000;

/** Syslog over UDP (RFC 5426), TCP with octet counting (RFC 6587, 3.4.1) and TLS (RFC 5425). */
export class SyslogTransport implements Transport {
  readonly deadlineMs: number;
  readonly #settings: SyslogSettings;

  constructor(settings: SyslogSettings) {
    this.#settings = settings;
    this.deadlineMs = settings.connect_timeout_ms + settings.write_timeout_ms + CLOSE_WAIT_MS;
  }

  async deliver({ entries, heads }: Batch, check: () => void): Promise<void> {
    const messages = [
      ...entries.map((entry) => formatEntry(entry, this.#settings)),
      ...heads.map((head) => formatHead(head, this.#settings)),
    ];
    await this.send(messages, check);
  }

  async send(messages: readonly Buffer[], check: () => void): Promise<void> {
    // Node would connect to this machine.
    if (this.#settings.host === '') throw new Error('no host is set');
    return this.#settings.protocol === 'udp'
      ? sendDatagrams(messages, this.#settings, check)
      : sendStream(messages, this.#settings, check);
  }
}

async function sendDatagrams(messages: readonly Buffer[], settings: SyslogSettings, check: () => void): Promise<void> {
  const { host, port, connect_timeout_ms: timeoutMs } = settings;
  const socket = createSocket({ type: isIP(host) === 6 ? 'udp6' : 'udp4' });
  // Some unreachable receivers cause an error, but the arrival of a datagram is never known.
  socket.on('error', () => undefined);
  try {
    check();
    for (const message of messages) {
      const sent = new Promise<void>((resolve, reject) => {
        socket.send(fitDatagram(message), port, host, (error) => (error ? reject(error) : resolve()));
      });
      await withDeadline(sent, timeoutMs, 'the datagram was not sent in time');
    }
  } finally {
    socket.close();
  }
}

function fitDatagram(message: Buffer): Buffer {
  if (message.length <= DATAGRAM_MAX) return message;
  return Buffer.concat([message.subarray(0, DATAGRAM_MAX - CUT_MARK.length), CUT_MARK]);
}

/**
 * Uses one connection per batch. Syslog has no answers: the only acknowledgement is that the receiver reads to the end
 * of the stream and closes its side, so the connection ends with the batch.
 */
async function sendStream(messages: readonly Buffer[], settings: SyslogSettings, check: () => void): Promise<void> {
  const socket = await connect(settings);
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
      settings.write_timeout_ms,
      'the receiver does not take what is sent',
    );
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_WAIT_MS).unref())]);
  } finally {
    socket.destroy();
  }
}

function frame(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

async function connect(settings: SyslogSettings): Promise<Socket> {
  const { host, port, protocol, connect_timeout_ms: timeoutMs } = settings;
  const isTls = protocol === 'tcp+tls';
  const socket = isTls ? connectTls({ host, port, ...tlsOptions(settings) }) : connectTcp({ host, port });
  const connected = new Promise<void>((resolve, reject) => {
    socket.once(isTls ? 'secureConnect' : 'connect', resolve).once('error', reject);
  });
  try {
    await withDeadline(connected, timeoutMs, 'the receiver does not answer');
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  }
  return socket;
}

/** The receiver's certificate is always verified, against the given CA or those of the system. */
function tlsOptions({ host, ca_cert: ca, client_cert: cert, client_key: key }: SyslogSettings) {
  return {
    minVersion: 'TLSv1.2' as const,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca && { ca }),
    ...(cert && key && { cert, key }),
  };
}
