import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Closable } from '@flotilla/kit';
import * as z from 'zod';
import type { Daemon } from './daemon.ts';

const SERVICES_MAX = 1000;
const BODY_MAX = 1_000_000;
const HOLD_MAX_MS = 600_000;

const serviceSchema = z.strictObject({
  service_id: z.uuid(),
  present: z.boolean(),
  healthy: z.boolean(),
  ready: z.boolean(),
});

const orderSchema = z.union([
  z.strictObject({ order: z.literal('failover'), force: z.boolean().default(false) }),
  z.strictObject({ order: z.literal('maintenance'), enabled: z.boolean(), force: z.boolean().default(false) }),
  z.strictObject({ order: z.literal('clear') }),
  z.strictObject({ order: z.literal('start_alone') }),
  /** The controller sends it, which hears the peer. */
  z.strictObject({ order: z.literal('yield'), hold_ms: z.int().min(0).max(HOLD_MAX_MS) }),
  z.strictObject({ order: z.literal('announce') }),
  z.strictObject({ order: z.literal('reload') }),
  /** All services of this host. One that is not named counts as not ready. */
  z.strictObject({ order: z.literal('ready'), services: z.array(serviceSchema).max(SERVICES_MAX) }),
  /** For addresses without a service. */
  z.strictObject({ order: z.literal('ready'), ready: z.boolean() }),
]);
type GivenOrder = z.output<typeof orderSchema>;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * The socket of the daemon, for programs of the same user: `GET /state` returns the report, `POST /orders` gives an order. 409:
 * the member refuses it.
 */
export async function openControl(
  socketFile: string,
  daemon: Pick<Daemon, 'report' | 'order' | 'announce' | 'reload' | 'setServices' | 'switchReady'>,
): Promise<Closable> {
  await rm(socketFile, { force: true });
  const server = createServer((request, response) => {
    void respond(request, response, daemon);
  });
  await listen(server, socketFile);
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether a process listens on the socket. */
export function isAnswering(socketFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketFile);
    const finish = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}

function listen(server: Server, socketFile: string): Promise<void> {
  const before = process.umask(0o177);
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketFile, resolve);
  }).finally(() => process.umask(before));
}

type Target = Parameters<typeof openControl>[1];

async function respond(request: IncomingMessage, response: ServerResponse, daemon: Target) {
  const { status, body } = await answer(request, daemon);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}

async function answer(request: IncomingMessage, daemon: Target): Promise<Answer> {
  if (request.method === 'GET' && request.url === '/state') return { status: 200, body: daemon.report() };
  if (request.method !== 'POST' || request.url !== '/orders') return { status: 404, body: { message: 'no such call' } };
  const parsed = orderSchema.safeParse(await readJson(request));
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  const reason = await obey(parsed.data, daemon);
  if (reason !== undefined) return { status: 409, body: { refused: true, reason } };
  return { status: 200, body: daemon.report() };
}

/** Undefined: it is not JSON, or too long. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes <= BODY_MAX) chunks.push(chunk);
    }
    return bytes > BODY_MAX ? undefined : JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

/** Returns why the member refuses it. */
async function obey(given: GivenOrder, daemon: Target): Promise<string | undefined> {
  switch (given.order) {
    case 'failover':
      return daemon.order({ kind: 'failover', isForced: given.force });
    case 'maintenance':
      return daemon.order({ kind: 'maintenance', isOn: given.enabled, isForced: given.force });
    case 'clear':
    case 'start_alone':
      return daemon.order({ kind: given.order });
    case 'yield':
      return daemon.order({ kind: 'yield', holdMs: given.hold_ms });
    case 'announce':
      return daemon.announce();
    case 'reload':
      await daemon.reload();
      return undefined;
    case 'ready':
      if ('services' in given) daemon.setServices(new Map(given.services.map((one) => [one.service_id, one])));
      else daemon.switchReady(given.ready);
      return undefined;
  }
}
