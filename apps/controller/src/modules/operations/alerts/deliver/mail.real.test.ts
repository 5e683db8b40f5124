import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { SMTP_SETTINGS } from '@flotilla/contract';
import { afterEach, describe, expect, it } from 'vitest';
import type { MessagePayload } from '../notify/message.ts';
import { MAIL_ACCOUNT, MailServer } from '../testing/mail-server.ts';
import { type MailSettings, sendMail, verifyMail } from './mail.ts';
import type { Message } from './render.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function open(options: Parameters<typeof MailServer.open>[0] = {}): Promise<MailServer> {
  const server = await MailServer.open(options);
  cleanUps.push(() => server.close());
  return server;
}

function settings(port: number, values: Partial<MailSettings>): MailSettings {
  return SMTP_SETTINGS.schema.parse({
    enabled: true,
    host: 'localhost',
    port,
    sender: 'flotilla@example.com',
    ...values,
  });
}

function message(payload: MessagePayload = { kind: 'test', by: 'anna' }, project = 'shop'): Message {
  return { id: 'delivery-1', project: { id: 'p', name: project }, at: new Date(), payload, link: undefined };
}

const TO = ['one@example.com', 'two@example.com'];
const send = (of: MailSettings, sent = message(), signal = AbortSignal.timeout(10_000)) =>
  sendMail(of, TO, sent, signal);

describe('a mail', () => {
  it('is sent over STARTTLS with the account, to every recipient', async () => {
    const server = await open();
    await send(settings(server.port, { encryption: 'starttls', ca_cert: server.ca, ...MAIL_ACCOUNT }));
    const [mail] = server.received;
    expect(mail).toMatchObject({ recipients: TO, isEncrypted: true, user: 'flotilla' });
    const headers = new Map(mail?.headers);
    expect(headers.get('message-id')).toBe('<delivery-1@example.com>');
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(headers.get('subject')).toBe('[Flotilla] Test message of project shop');
  });

  it('is sent over TLS from the first byte', async () => {
    const server = await open({ secure: true });
    await send(settings(server.port, { encryption: 'tls', ca_cert: server.ca }));
    expect(server.received).toMatchObject([{ isEncrypted: true }]);
  });

  it('is not sent in the clear if the server offers no STARTTLS', async () => {
    const server = await open({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
    await expect(
      send(settings(server.port, { encryption: 'starttls', ca_cert: server.ca, ...MAIL_ACCOUNT })),
    ).rejects.toThrow();
    expect(server.received).toEqual([]);
    await send(settings(server.port, { encryption: 'none' }));
    expect(server.received).toMatchObject([{ isEncrypted: false }]);
  });

  it('is not sent to a server whose certificate nobody vouches for', async () => {
    const server = await open();
    await expect(send(settings(server.port, { encryption: 'starttls', ...MAIL_ACCOUNT }))).rejects.toThrow(
      /self-signed/,
    );
    expect(server.received).toEqual([]);
  });

  it('needs the right password', async () => {
    const server = await open();
    const wrong = settings(server.port, { ca_cert: server.ca, ...MAIL_ACCOUNT, password: 'wrong' });
    await expect(send(wrong)).rejects.toThrow(/login|authentication/i);
    await expect(verifyMail(wrong, AbortSignal.timeout(10_000))).rejects.toThrow();
    await verifyMail(settings(server.port, { ca_cert: server.ca, ...MAIL_ACCOUNT }), AbortSignal.timeout(10_000));
  });

  it('has no header field that a hostile name brought', async () => {
    const server = await open();
    const name = `edge\r\nBcc: all@example.com\r\n\r\n<script>alert(1)</script>\u2028${'x'.repeat(2048)}`;
    const alert = { alert_id: 'a', fingerprint: 'f', rule: 'r', severity: 'critical' as const, labels: {}, since: 's' };
    const first = [{ ...alert, subject: { kind: 'client', id: null, name }, summary: `${name}\r\n.\r\nQUIT` }];
    const hostile: MessagePayload = { kind: 'alerts', firing: { count: 1, first }, resolved: { count: 0, first: [] } };
    await send(settings(server.port, { ca_cert: server.ca }), message(hostile, 'shop\r\nCc: all@example.com'));
    const [mail] = server.received;
    expect(mail?.recipients).toEqual(TO);
    const names = mail?.headers.map(([header]) => header) ?? [];
    expect(names).not.toContain('bcc');
    expect(names).not.toContain('cc');
    expect(names.filter((header) => header === 'subject')).toHaveLength(1);
    const [, html = ''] = mail?.raw.split('Content-Type: text/html') ?? [];
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('<script');
  });

  it('ends with its deadline if the server says nothing', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => new Promise((resolve) => silent.close(resolve)));
    const stop = new AbortController();
    const sending = send(settings((silent.address() as AddressInfo).port, {}), message(), stop.signal);
    const refused = expect(sending).rejects.toThrow();
    await expect.poll(() => sockets.length).toBe(1);
    stop.abort(new Error('the deadline is over'));
    await refused;
    await expect.poll(() => sockets[0]?.readyState).not.toBe('open');
    sockets[0]?.destroy();
  });
});
