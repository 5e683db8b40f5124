import { createConnection, createServer, type Socket } from 'node:net';

/** Relays a Unix socket. Data from the client (subscriptions and answers) arrives up to `delayMs` late, in order. */
export function startSlowRelay(options: {
  listen: string;
  target: string;
  delayMs: () => number;
}): Promise<() => void> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(options.target);
    sockets.add(client).add(upstream);
    let last = Promise.resolve();
    client.on('data', (chunk) => {
      const wait = new Promise<void>((resolve) => setTimeout(resolve, options.delayMs()));
      last = last.then(() => wait).then(() => void upstream.write(chunk));
    });
    upstream.on('data', (chunk) => client.write(chunk));
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end);
  });
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return new Promise((resolve) => server.listen(options.listen, () => resolve(stop)));
}
