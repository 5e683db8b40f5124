import { createServer } from 'node:net';

async function isPortBusy(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(false)));
  });
}

/** Returns a message about the first busy port, or undefined if all are free. */
export async function describeBusyPort(ports: Readonly<Record<string, number>>): Promise<string | undefined> {
  for (const [flag, port] of Object.entries(ports)) {
    if (await isPortBusy(port)) {
      return `port ${port} is in use by another program. Stop that program, or choose another port: ${flag} ${port + 1}`;
    }
  }
  return undefined;
}
