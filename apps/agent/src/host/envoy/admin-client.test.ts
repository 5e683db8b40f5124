import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serviceSocket } from '../service-socket.ts';
import { callAdmin, streamAdmin } from './admin-client.ts';

let folder: string;
let server: Server;
const sockets = new Set<Socket>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ac-'));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function listen(answer: (socket: Socket) => void) {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  server.listen(join(folder, 'admin.sock'));
  await once(server, 'listening');
  return serviceSocket(join(folder, 'admin.sock'), undefined);
}

it('gives up an answer of a service that arrives byte by byte and never ends (attack 3)', async () => {
  const socket = await listen((one) => {
    one.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
    const drip = setInterval(() => one.write(' '), 20);
    one.on('close', () => clearInterval(drip));
  });
  await expect(callAdmin(socket, '/configz', { timeoutMs: 400 })).rejects.toThrow('was not complete');
});

it('gives up an answer of a service whose headers never end (attack 3)', async () => {
  const socket = await listen((one) => {
    one.write('HTTP/1.1 200 OK\r\n');
    const drip = setInterval(() => one.write('a: b\r\n'), 20);
    one.on('close', () => clearInterval(drip));
  });
  await expect(callAdmin(socket, '/configz', { timeoutMs: 400 })).rejects.toThrow('was not complete');
});

it('gives up an answer that is larger than may be, and takes one that is whole', async () => {
  const socket = await listen((one) => one.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfour'));
  await expect(callAdmin(socket, '/configz', { maxBytes: 3 })).rejects.toThrow('is larger than 3 bytes');
  expect(await callAdmin(socket, '/configz', { maxBytes: 4 })).toEqual({ status: 200, body: 'four' });
});

it('gives up an answer that its reader refuses', async () => {
  const socket = await listen((one) => one.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfour'));
  const refuse = () => {
    throw new Error('not what it should be');
  };
  await expect(streamAdmin(socket, '/stats', {}, refuse)).rejects.toThrow('not what it should be');
});
