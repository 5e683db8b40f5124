import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { LDAP_SETTINGS } from '@flotilla/contract';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { afterEach, expect, it, vi } from 'vitest';
import { LdapDirectory } from './service.ts';

/** Longer than any test: whatever ends earlier was ended by the deadline. */
const ANSWER_MS = 30_000;
const servers: { server: Server; sockets: Set<Socket> }[] = [];

afterEach(closeAll);

async function closeAll(): Promise<void> {
  for (const { server, sockets } of servers.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  }
}

/** Accepts every connection and passes it to `serve`. */
async function start(serve: (socket: Socket) => void): Promise<{ port: number; sockets: ReadonlySet<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  servers.push({ server, sockets });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, sockets };
}

const silent = () => start(() => undefined);

/** Sends a long answer byte by byte, so that data always arrives. */
const dripping = () =>
  start((socket) => {
    socket.write(Buffer.from([0x30, 0x82, 0x0f, 0xf0]));
    const drip = setInterval(() => socket.write(Buffer.alloc(1)), 10);
    socket.on('close', () => clearInterval(drip));
  });

function open(value: Record<string, unknown>) {
  const document = { base_dn: 'dc=example,dc=org', timeout_ms: ANSWER_MS, ...value };
  const settings = LDAP_SETTINGS.schema.parse(document);
  const store = { addTest: () => undefined, getAcceptable: () => Promise.reject(new Error('nobody asks')) };
  const ldap = new LdapDirectory({ settings: store, clock: systemClock, logger: createSilentLogger() });
  return { ask: () => ldap.ask(settings, { username: 'alice', password: 'x' }) };
}

const away = { code: 'sign_in.directory_unavailable' };

it.each([
  ['says nothing', silent, (port: number) => ({ url: `ldap://127.0.0.1:${port}` })],
  ['says nothing before TLS', silent, (port: number) => ({ url: `ldaps://127.0.0.1:${port}` })],
  ['says nothing to StartTLS', silent, (port: number) => ({ url: `ldap://127.0.0.1:${port}`, start_tls: true })],
  ['drips', dripping, (port: number) => ({ url: `ldap://127.0.0.1:${port}` })],
  ['drips before TLS', dripping, (port: number) => ({ url: `ldap://127.0.0.1:${port}`, start_tls: true })],
])(
  'a server that %s delays nobody longer than the deadline of a sign-in, and neither does the next server',
  async (_name, begin, at) => {
    const [one, two] = [await begin(), await begin()];
    const { ask } = open({ servers: [at(one.port), at(two.port)], deadline_ms: 500 });
    await expect(ask()).rejects.toMatchObject(away);
    // The second server is never asked, because the time was used up.
    expect(one.sockets.size).toBe(1);
    expect(two.sockets.size).toBe(0);
  },
);

it('many sign-ins at once open a limited number of connections, and fail at once if too many wait', async () => {
  const { port, sockets } = await silent();
  const { ask } = open({ servers: [{ url: `ldap://127.0.0.1:${port}` }], deadline_ms: 60_000 });
  let refused = 0;
  const answers = Array.from({ length: 400 }, () =>
    ask().catch((error: unknown) => {
      refused += 1;
      return error;
    }),
  );
  await vi.waitFor(() => {
    expect(sockets.size).toBe(32);
    expect(refused).toBe(400 - 32 - 256);
  });
  // All servers are closed: each waiting request gets its turn and fails.
  await closeAll();
  for (const error of await Promise.all(answers)) expect(error).toMatchObject(away);
  expect(sockets.size).toBe(32);
});
