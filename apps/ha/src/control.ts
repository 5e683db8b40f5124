import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Closable } from '@flotilla/kit';
import * as z from 'zod';
import type { Member } from './member.ts';

const orderSchema = z.discriminatedUnion('order', [
  z.strictObject({ order: z.literal('failover'), force: z.boolean().default(false) }),
  z.strictObject({ order: z.literal('maintenance'), enabled: z.boolean(), force: z.boolean().default(false) }),
  z.strictObject({ order: z.literal('clear') }),
  z.strictObject({ order: z.literal('start_alone') }),
  z.strictObject({ order: z.literal('announce') }),
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
  member: Pick<Member, 'report' | 'order' | 'announce' | 'setReady'>,
): Promise<Closable> {
  await rm(socketFile, { force: true });
  const server = createServer((request, response) => {
    void respond(request, response, member);
  });
  await listen(server, socketFile);
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, socketFile: string): Promise<void> {
  const before = process.umask(0o177);
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketFile, resolve);
  }).finally(() => process.umask(before));
}

async function respond(request: IncomingMessage, response: ServerResponse, member: Parameters<typeof openControl>[1]) {
  const { status, body } = await answer(request, member);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}

async function answer(request: IncomingMessage, member: Parameters<typeof openControl>[1]): Promise<Answer> {
  if (request.method === 'GET' && request.url === '/state') return { status: 200, body: member.report() };
  if (request.method !== 'POST' || request.url !== '/orders') return { status: 404, body: { message: 'no such call' } };
  const parsed = orderSchema.safeParse(await json(request).catch(() => undefined));
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  const reason = obey(parsed.data, member);
  if (reason !== undefined) return { status: 409, body: { refused: true, reason } };
  return { status: 200, body: member.report() };
}

/** Returns why the member refuses it. */
function obey(given: GivenOrder, member: Parameters<typeof openControl>[1]): string | undefined {
  switch (given.order) {
    case 'failover':
      return member.order({ kind: 'failover', isForced: given.force });
    case 'maintenance':
      return member.order({ kind: 'maintenance', isOn: given.enabled, isForced: given.force });
    case 'clear':
      return member.order({ kind: 'clear' });
    case 'start_alone':
      return member.order({ kind: 'start_alone' });
    case 'announce':
      return member.announce() ? undefined : 'not_active';
    case 'ready':
      member.setReady(given.ready);
      return undefined;
  }
}
