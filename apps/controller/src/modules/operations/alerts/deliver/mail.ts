import { connect, type Socket } from 'node:net';
import type { SMTP_SETTINGS } from '@flotilla/contract';
import { createTransport } from 'nodemailer';
import type * as z from 'zod';
import { oneLine, titleOf } from '../notify/message.ts';
import { type Message, renderHtml, renderText } from './render.ts';

export type MailSettings = z.output<(typeof SMTP_SETTINGS)['schema']>;

const IDLE_MS = 10_000;
const SUBJECT_MAX = 200;

/**
 * Sends one mail over a connection of its own, which ends with `signal`: a server that hangs holds nothing for longer. Rejects unless
 * the server accepts the mail for every recipient.
 */
export async function sendMail(
  settings: MailSettings,
  recipients: readonly string[],
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  const { sender } = settings;
  if (!settings.enabled || sender === null) throw new Error('mail is switched off in the settings of the installation');
  const { rejected } = await withTransport(settings, signal, (transport) =>
    transport.sendMail({
      // Objects: a text would be parsed for several addresses.
      from: { name: 'Flotilla', address: sender },
      to: recipients.map((address) => ({ name: '', address })),
      messageId: `<${message.id}@${sender.slice(sender.lastIndexOf('@') + 1)}>`,
      date: message.at,
      subject: oneLine(`[Flotilla] ${titleOf(message.payload, message.project.name)}`, SUBJECT_MAX),
      text: renderText(message),
      html: renderHtml(message),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Flotilla-Delivery': message.id },
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  if (rejected.length > 0) throw new Error(`the mail server does not accept ${rejected.length} of the recipients`);
}

/** Connects, encrypts and signs in as the settings say, and sends nothing. */
export async function verifyMail(settings: MailSettings, signal: AbortSignal): Promise<void> {
  await withTransport(settings, signal, (transport) => transport.verify());
}

async function withTransport<T>(
  { host, port, encryption, ca_cert, username, password }: MailSettings,
  signal: AbortSignal,
  work: (transport: ReturnType<typeof openTransport>) => Promise<T>,
): Promise<T> {
  let socket: Socket | undefined;
  const transport = openTransport({
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    ...(username !== '' && { auth: { user: username, pass: password ?? '' } }),
    tls: { ...(ca_cert !== null && { ca: ca_cert }) },
    greetingTimeout: IDLE_MS,
    socketTimeout: IDLE_MS,
    getSocket(_: unknown, callback: (error: Error | null, opened?: { connection: Socket | undefined }) => void) {
      socket = connect({ host, port, signal });
      socket.once('connect', () => callback(null, { connection: socket }));
      socket.once('error', (error) => callback(error));
    },
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work(transport), whenAborted(signal)]);
  } finally {
    transport.close();
    socket?.destroy();
  }
}

type TransportOptions = Exclude<Parameters<typeof createTransport>[0], string | undefined>;

function openTransport(options: object) {
  return createTransport(options as TransportOptions);
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
