import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import type { SYSLOG_SETTINGS } from '@flotilla/contract';
import { withDeadline } from '@flotilla/kit';
import type * as z from 'zod';
import { SYSLOG_CLOSE_WAIT_MS, type SyslogReceiver, sendSyslogStream } from '../../../../platform/outbound/index.ts';
import type { Batch, Transport } from './delivery.ts';
import { formatEntry, formatHead } from './syslog-format.ts';

export type SyslogSettings = z.output<(typeof SYSLOG_SETTINGS)['schema']>;

/**
 * RFC 5426, 3.2 requires receivers to accept 2,048 bytes and recommends 8,192; a longer datagram is truncated with a
 * mark at its end.
 */
const DATAGRAM_MAX = 8192;
const CUT_MARK = Buffer.from(' [cut]');

/** Syslog over UDP (RFC 5426), TCP with octet counting (RFC 6587, 3.4.1) and TLS (RFC 5425). */
export class SyslogTransport implements Transport {
  readonly deadlineMs: number;
  readonly #settings: SyslogSettings;

  constructor(settings: SyslogSettings) {
    this.#settings = settings;
    this.deadlineMs = settings.connect_timeout_ms + settings.write_timeout_ms + SYSLOG_CLOSE_WAIT_MS;
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
      : sendSyslogStream(messages, toReceiver(this.#settings), check);
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

function toReceiver(settings: SyslogSettings): SyslogReceiver {
  const { host, port, protocol, connect_timeout_ms: connectTimeoutMs, write_timeout_ms: writeTimeoutMs } = settings;
  const tls = {
    ca: settings.ca_cert ?? undefined,
    cert: settings.client_cert ?? undefined,
    key: settings.client_key ?? undefined,
  };
  return { host, port, tls: protocol === 'tcp+tls' ? tls : undefined, connectTimeoutMs, writeTimeoutMs };
}
