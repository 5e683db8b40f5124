import { createHmac } from 'node:crypto';
import type { ShownEventExportTarget } from '@flotilla/contract';
import type { StoredEvent } from '@flotilla/event-store';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { toRequestDocument, toTestDocument } from './document.ts';
import { Outgoing } from './outgoing.ts';
import type { OpenTarget } from './secrets.ts';
import { formatDocument } from './syslog-format.ts';
import { HttpsReceiver } from './testing/https-receiver.ts';
import { createIdentity, type Identity } from './testing/identity.ts';
import { parseSyslog } from './testing/syslog-parser.ts';
import { type SyslogManner, SyslogServer } from './testing/syslog-server.ts';

const SECRET = 'signs-what-is-sent-to-receivers';
const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const PROJECT = '00000000-0000-7000-8000-000000000001';

let identity: Identity;
beforeAll(async () => {
  identity = await createIdentity();
});

async function open(allowed: readonly string[] = LOOPBACK): Promise<Outgoing> {
  const outgoing = new Outgoing();
  await outgoing.start({
    watch: async (type, listener) => {
      listener(type.schema.parse({ allowed_networks: allowed }) as never);
      return { close: async () => undefined };
    },
  });
  return outgoing;
}

const running = () => new AbortController().signal;
const ask = toTestDocument(PROJECT, { at: new Date(0), by: 'anna' });

type Shown = Extract<ShownEventExportTarget, { kind: 'syslog' }>;
const syslog = (port: number, more: Partial<Shown> & { clientKey?: string } = {}): OpenTarget => ({
  kind: 'syslog',
  host: 'localhost',
  port,
  protocol: 'tls',
  facility: 'local0',
  app_name: 'flotilla',
  ca_cert: identity.cert,
  client_cert: null,
  clientKey: undefined,
  ...more,
});

async function openSyslog(tls?: object, manner: SyslogManner = 'read') {
  const server = await SyslogServer.open(tls);
  server.manner = manner;
  onTestFinished(() => server.close());
  return server;
}

function event(text: string): StoredEvent {
  const words = { service: text, client: text, listener: text, protocol: text, method: text, host: text, path: text };
  const more = { operation: text, route: text, cluster: text, responseFlags: text, country: text, agentKind: text };
  const rest = { authScheme: text, tlsVersion: text, contentType: text, action: 'block', engine: text };
  const numbers = { status: 403, grpcStatus: 255, latencyUs: 1500, requestBytes: 1, responseBytes: 2, asn: 0, risk: 9 };
  const bits = { flags: [0, 1], pii: [], categories: [], marks: [], exposure: 0, weight: 1 };
  const hashes = { operationId: 'a'.repeat(16), consumer: '', source: '', userAgent: '', object: '' };
  return {
    id: 'b'.repeat(24),
    timeMs: 1_000,
    requestId: '',
    ...words,
    ...more,
    ...rest,
    ...numbers,
    ...bits,
    ...hashes,
  };
}

describe('a message of syslog', () => {
  it.each([
    '"] <34>1 - - forged',
    'a\\',
    'a\\"',
    '\r\n17 <1>1 - - - - - - x',
    '=cmd()|x',
    '\u0000\u001b[31m',
    '\u2028\u202e[x]',
    '\ud83d',
    'é🙂'.repeat(400),
    '[request@32473 id="1"]',
    '',
  ])('is well-formed whatever the fields say: %j', (text) => {
    const document = toRequestDocument(PROJECT, event(text));
    const parsed = parseSyslog(formatDocument(document, { facility: 'local7', app_name: 'edge' }));
    expect(parsed).toMatchObject({ priority: 23 * 8 + 4, app: 'edge', kind: 'request', process: '-' });
    expect(Object.keys(parsed.elements)).toEqual(['request@32473']);
    const { decision, latency_ms, asn, cut } = parsed.elements['request@32473'] ?? {};
    expect([decision, latency_ms, asn]).toEqual(['blocked', '1.5', undefined]);
    expect(cut?.split(',').includes('host') ?? false).toBe(text.length > 512);
  });
});

describe('a syslog server', () => {
  it('with a valid certificate gets every document', async () => {
    const server = await openSyslog(identity);
    const outgoing = await open();
    const documents = Array.from({ length: 1000 }, () => toRequestDocument(PROJECT, event('a b')));
    expect(await outgoing.send(syslog(server.port), documents, running())).toBeUndefined();
    expect([server.messages.length, server.problems]).toEqual([1000, []]);
  });

  it('with the certificate of another name or authority gets nothing', async () => {
    const other = await createIdentity('elsewhere.example.com');
    const server = await openSyslog(other);
    const outgoing = await open();
    expect(await outgoing.send(syslog(server.port, { ca_cert: other.cert }), [ask], running())).toMatch(/altnames/);
    expect(await outgoing.send(syslog(server.port), [ask], running())).toMatch(/certificate/);
    expect(server.messages).toEqual([]);
  });

  it('that asks for a certificate gets that of the export', async () => {
    const mine = await createIdentity('controller.example.com');
    const server = await openSyslog({ ...identity, requestCert: true, rejectUnauthorized: true, ca: mine.cert });
    const outgoing = await open();
    expect(await outgoing.send(syslog(server.port), [ask], running())).toBeTypeOf('string');
    const withKey = syslog(server.port, { client_cert: mine.cert, clientKey: mine.key });
    expect(await outgoing.send(withKey, [ask], running())).toBeUndefined();
    expect(server.messages).toHaveLength(1);
  });

  it('that breaks the connection has not accepted anything', async () => {
    const server = await openSyslog(undefined, 'reset');
    const target = syslog(server.port, { protocol: 'tcp' });
    expect(await (await open()).send(target, [ask], running())).toMatch(/ECONNRESET|closed/);
  });

  it.each<SyslogManner>(['mute', 'crawl'])(
    'that never closes its side (%s) has not accepted anything',
    async (manner) => {
      const server = await openSyslog(undefined, manner);
      const target = syslog(server.port, { protocol: 'tcp' });
      const stop = new AbortController();
      const sent = (await open()).send(target, [ask], stop.signal);
      await expect.poll(() => server.connections).toBe(1);
      stop.abort();
      expect(await sent).toBeTypeOf('string');
    },
  );
});

describe('a webhook', () => {
  const hook = (url: string, more: object = {}) =>
    ({ kind: 'webhook', url, format: 'json', ca_cert: identity.cert, secret: SECRET, ...more }) as OpenTarget;
  async function openReceiver() {
    const receiver = await HttpsReceiver.open(identity);
    onTestFinished(() => receiver.close());
    return receiver;
  }

  it.each(['json', 'ndjson'])('gets signed documents as %s', async (format) => {
    const receiver = await openReceiver();
    expect(await (await open()).send(hook(`${receiver.url}/in`, { format }), [ask, ask], running())).toBeUndefined();
    const [request] = receiver.received;
    const timestamp = String(request?.headers['x-flotilla-timestamp']);
    const signature = createHmac('sha256', SECRET).update(`${timestamp}.${request?.body}`).digest('hex');
    expect(request?.headers['x-flotilla-signature']).toBe(`v1=${signature}`);
    const text = request?.body ?? '';
    const documents =
      format === 'json'
        ? JSON.parse(text).events
        : text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line));
    expect(documents).toEqual([ask, ask]);
  });

  it('is not followed to where it redirects, and its answers decide', async () => {
    const receiver = await openReceiver();
    const outgoing = await open();
    receiver.answer = { status: 307, location: `${receiver.url}/elsewhere` };
    expect(await outgoing.send(hook(receiver.url), [ask], running())).toMatch(/redirects \(307\)/);
    receiver.answer = { status: 500 };
    expect(await outgoing.send(hook(receiver.url), [ask], running())).toBe('the receiver answers 500');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/', '/']);
  });

  it('on a private address is refused, when it is stored and when it is resolved', async () => {
    const receiver = await openReceiver();
    const outgoing = await open([]);
    expect(await outgoing.send(hook(receiver.url), [ask], running())).toMatch(/is not public/);
    expect(receiver.received).toEqual([]);
    const { clientKey: _key, ...shown } = syslog(6514, { host: '10.0.0.1' }) as Shown & { clientKey: undefined };
    expect(() => outgoing.requireAddress(shown)).toThrow(/10\.0\.0\.1/);
    expect(() => outgoing.requireAddress({ ...shown, host: '::ffff:127.0.0.1' })).toThrow(/is not public|not public/);
  });
});
