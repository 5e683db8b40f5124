import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auditRoutes, profileRoutes } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { Connection } from './connection.ts';
import { EXIT } from './exit-codes.ts';

const TIMEOUT_MS = 1000;

async function openTo(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const io = {
    env: { SVC_TOKEN: 'flt_x', FLOTILLA_CONFIG: '/nowhere/cli.json' },
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: new AbortController().signal,
    command: [],
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { connection: await Connection.open(io, { url, timeoutMs: TIMEOUT_MS }), close };
}

it('a long answer may take longer than an answer is waited for', async () => {
  const { connection, close } = await openTo((response) => {
    response.write('first ');
    setTimeout(() => response.end('last'), TIMEOUT_MS * 1.5);
  });
  const answer = await connection.open(auditRoutes.export, { query: {} });
  expect(await answer.text()).toBe('first last');
  close();
});

it('one that does not begin is not waited for', async () => {
  const { connection, close } = await openTo(() => undefined);
  await expect(connection.call(profileRoutes.get, {})).rejects.toMatchObject({
    exitCode: EXIT.unreachable,
    message: expect.stringContaining('it does not answer'),
  });
  close();
});
