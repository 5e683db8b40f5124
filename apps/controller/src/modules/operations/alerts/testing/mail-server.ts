import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServerCertificate } from '@flotilla/testkit';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly recipients: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  readonly raw: string;
  /** Header fields by lower-case name, with their values unfolded, in the order of the mail. */
  readonly headers: readonly (readonly [string, string])[];
}

export const MAIL_ACCOUNT = { username: 'flotilla', password: 'a-secret-of-the-mail-server' };

/** A real mail server on loopback. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  readonly port: number;
  readonly ca: string;
  readonly #server: SMTPServer;

  private constructor(server: SMTPServer, ca: string) {
    this.#server = server;
    this.ca = ca;
    this.port = (server.server.address() as AddressInfo).port;
  }

  /** `options` replaces what the server does by default: STARTTLS, and an account. */
  static async open(options: Partial<SMTPServerOptions> = {}): Promise<MailServer> {
    const { certificatePem: cert, privateKeyPem: key } = await createServerCertificate('localhost');
    let mails: ReceivedMail[] = [];
    const server = new SMTPServer({
      cert,
      key,
      authOptional: true,
      logger: false,
      onAuth({ username, password }, _, callback) {
        if (username === MAIL_ACCOUNT.username && password === MAIL_ACCOUNT.password)
          return callback(null, { user: username });
        callback(new Error(`no such account: ${username} ${password}`));
      },
      onData(stream, { envelope, secure, user }, callback) {
        void text(stream).then((raw) => {
          const recipients = envelope.rcptTo.map(({ address }) => address);
          mails.push({
            recipients,
            isEncrypted: secure,
            user: user === undefined ? undefined : String(user),
            raw,
            headers: readHeaders(raw),
          });
          callback();
        });
      },
      ...options,
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const opened = new MailServer(server, cert);
    mails = opened.received;
    return opened;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

function readHeaders(raw: string): [string, string][] {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  return head
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    });
}
