import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { type AuditEntryView, SYSLOG_SETTINGS, WEBHOOK_SETTINGS } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ForwardedEntry } from './sink-store.ts';
import { SyslogTransport } from './syslog-transport.ts';
import { WebhookTransport } from './webhook-transport.ts';

const allowed = () => undefined;
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function entry(overrides: Partial<AuditEntryView> = {}, seq = 7): ForwardedEntry {
  return {
    position: seq,
    seq,
    entry: {
      id: createId(),
      at: '2026-02-01T10:00:00.123Z',
      project: createId(),
      actor: { kind: 'user', id: createId(), name: 'anna', role: 'admin' },
      action: 'policy.replace',
      resource: { type: 'policy', id: null, name: 'shop' },
      outcome: 'done',
      status: 200,
      error_code: null,
      request: { id: 'r-1', method: 'PUT', path: '/api/v3/policies/shop', client_ip: '192.0.2.7', user_agent: null },
      changes: { revision: 2 },
      ...overrides,
    },
  };
}

function syslog(settings: Record<string, unknown>): SyslogTransport {
  const given = { enabled: true, host: '127.0.0.1', connect_timeout_ms: 5000, write_timeout_ms: 5000, ...settings };
  return new SyslogTransport(SYSLOG_SETTINGS.schema.parse(given));
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanUps.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A receiver that reads to the end and then closes its side; splits frames by RFC 6587. */
function collect(into: string[]) {
  return (socket: Socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (;;) {
        const space = bytes.indexOf(32);
        const length = Number(bytes.subarray(0, space));
        if (space < 0 || bytes.length < space + 1 + length) return;
        into.push(bytes.subarray(space + 1, space + 1 + length).toString());
        bytes = bytes.subarray(space + 1 + length);
      }
    });
  };
}

describe('syslog over TCP', () => {
  it('sends one RFC 5424 message per entry, prefixed by its length', async () => {
    const seen: string[] = [];
    const port = await listen(createServer(collect(seen)));
    const denied = entry({ outcome: 'denied', status: 403, error_code: 'role.forbidden' }, 8);
    await syslog({ protocol: 'tcp', port, facility: 'local3', tag: 'fleet' }).deliver(
      { entries: [entry(), denied], heads: [] },
      allowed,
    );
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatch(
      /^<158>1 2026-02-01T10:00:00\.123Z [!-~]+ fleet - fleet \[audit@32473 audit_id="[\da-f-]{36}" seq="7" action="policy\.replace" actor="anna" /,
    );
    expect(seen[0]).toMatch(/ status="200"\] policy\.replace done by anna on shop$/);
    expect(seen[1]).toMatch(/^<156>1 .* outcome="denied" .* error="role\.forbidden"\] /);
  });

  it('escapes line breaks, brackets and quotes in values, and names truncated values', async () => {
    const seen: string[] = [];
    const port = await listen(createServer(collect(seen)));
    const name = 'x"] <34>1 - - forged\r\n\u0000\u2028]\\';
    const path = `/${'p'.repeat(1000)}`;
    const odd = entry({
      resource: { type: 'policy', id: null, name },
      request: { id: null, method: 'PUT', path, client_ip: null, user_agent: null },
    });
    await syslog({ protocol: 'tcp', port }).deliver({ entries: [odd], heads: [] }, allowed);
    expect(seen[0]).toContain(String.raw`resource_name="x\"\] <34>1 - - forged \]\\"`);
    expect(seen[0]).toContain('cut="path"');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(seen[0]).not.toMatch(/[\u0000-\u001f\u2028]/);
  });

  it('fails if nobody listens, and if the receiver disconnects before it has everything', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    await expect(syslog({ protocol: 'tcp', port }).deliver({ entries: [entry()], heads: [] }, allowed)).rejects.toThrow(
      'ECONNREFUSED',
    );
    const rude = await listen(
      createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.resetAndDestroy())),
    );
    const many = Array.from({ length: 500 }, (_, i) => entry({}, i));
    const sent = Array.from({ length: 20 }, () => many).flat();
    await expect(
      syslog({ protocol: 'tcp', port: rude }).deliver({ entries: sent, heads: [] }, allowed),
    ).rejects.toThrow();
  });

  it('sends nothing if its lease has ended by the time it is connected', async () => {
    const seen: string[] = [];
    const port = await listen(createServer(collect(seen)));
    const over = () => {
      throw new Error('the lease is over');
    };
    await expect(syslog({ protocol: 'tcp', port }).deliver({ entries: [entry()], heads: [] }, over)).rejects.toThrow(
      'lease',
    );
    expect(seen).toEqual([]);
  });
});

describe('syslog over TLS', () => {
  let folder: string;
  let [ca, key, cert] = ['', '', ''];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-tls-'));
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    openssl('req', '-x509', ...ec, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test ca');
    openssl(
      'req',
      '-x509',
      ...ec,
      '-keyout',
      'leaf.key',
      '-out',
      'leaf.pem',
      '-subj',
      '/CN=log',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-addext',
      'basicConstraints=critical,CA:FALSE',
    );
    [ca, key, cert] = (await Promise.all(
      ['ca.pem', 'leaf.key', 'leaf.pem'].map((file) => readFile(join(folder, file), 'utf8')),
    )) as [string, string, string];
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('sends to a receiver with a certificate of the given CA, and to no other', async () => {
    const seen: string[] = [];
    const port = await listen(createTlsServer({ key, cert }, collect(seen)));
    await syslog({ protocol: 'tcp+tls', port, ca_cert: ca }).deliver({ entries: [entry()], heads: [] }, allowed);
    expect(seen).toHaveLength(1);
    const unknown = syslog({ protocol: 'tcp+tls', port }).deliver({ entries: [entry()], heads: [] }, allowed);
    await expect(unknown).rejects.toThrow(/certificate|issuer/);
    const named = syslog({ protocol: 'tcp+tls', port, host: 'localhost', ca_cert: ca });
    await expect(named.deliver({ entries: [entry()], heads: [] }, allowed)).rejects.toThrow(/localhost|altnames/);
    expect(seen).toHaveLength(1);
  });
});

it('syslog over UDP sends one datagram per entry', async () => {
  const socket = createSocket('udp4');
  cleanUps.push(() => socket.close());
  const seen: string[] = [];
  socket.on('message', (message) => seen.push(message.toString()));
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  await syslog({ protocol: 'udp', port: socket.address().port }).deliver(
    { entries: [entry(), entry()], heads: [] },
    allowed,
  );
  await expect.poll(() => seen.length).toBe(2);
  expect(seen[0]).toMatch(/^<134>1 .*\[audit@32473 /);
});

describe('a webhook', () => {
  interface Seen {
    readonly url: string | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }

  async function receive(seen: Seen[], status: number, headers: Record<string, string> = {}): Promise<string> {
    const server = createHttpServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen.push({ url: request.url, headers: request.headers, body });
        response.writeHead(status, { connection: 'close', ...headers }).end('an answer that nobody reads');
      });
    });
    return `http://127.0.0.1:${await listen(server)}/audit`;
  }

  const webhook = (url: string, secret: string | undefined = 'shared') =>
    new WebhookTransport(
      WEBHOOK_SETTINGS.schema.parse({ enabled: true, url, timeout_ms: 5000, ...(secret && { secret }) }),
    );

  it('gets lines of JSON that are signed with the time of sending', async () => {
    const seen: Seen[] = [];
    const url = await receive(seen, 204);
    const head = {
      projectKey: createId(),
      seq: 9,
      hash: Buffer.alloc(32, 1),
      at: new Date(0),
      keyId: 'k',
      signature: Buffer.from('s'),
    };
    await webhook(url).deliver({ entries: [entry()], heads: [head] }, allowed);
    expect(seen).toHaveLength(1);
    const { headers, body } = seen[0] as Seen;
    const timestamp = String(headers['x-flotilla-timestamp']);
    const signature = createHmac('sha256', 'shared').update(`${timestamp}.${body}`).digest('hex');
    expect(headers['x-flotilla-signature']).toBe(`v1=${signature}`);
    expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(600);
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { type: 'entry', seq: 7, entry: { action: 'policy.replace', changes: { revision: 2 } } },
      { type: 'head', seq: 9, hash: '01'.repeat(32) },
    ]);
  });

  it('follows no redirect, and fails for any status but 2xx without the body of the answer', async () => {
    const inner: Seen[] = [];
    const secretPlace = await receive(inner, 200);
    for (const status of [301, 302, 307, 308]) {
      const url = await receive([], status, { location: secretPlace });
      await expect(webhook(url).deliver({ entries: [entry()], heads: [] }, allowed)).rejects.toThrow(
        `redirects (${status})`,
      );
    }
    expect(inner).toEqual([]);
    const failing = await receive([], 500);
    await expect(webhook(failing).deliver({ entries: [entry()], heads: [] }, allowed)).rejects.toThrow(
      /^the receiver answers 500$/,
    );
  });

  it('gets nothing unsigned', async () => {
    const seen: Seen[] = [];
    const url = await receive(seen, 200);
    await expect(webhook(url, '').deliver({ entries: [entry()], heads: [] }, allowed)).rejects.toThrow('no secret');
    expect(seen).toEqual([]);
  });
});
