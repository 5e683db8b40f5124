import { createServer, type Server } from 'node:http';
import { ADMIN_PORT_MAX, ADMIN_PORT_MIN } from '@flotilla/contract';

/**
 * Starts the upstream of the demo's Envoy, which returns the method and path of each request. Uses the port of the last run if it
 * is free, because the documents of the demo contain it. Never uses a port reserved for admin endpoints, which documents must not
 * contain.
 */
export async function startDemoUpstream(preferredPort = 0): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      `${JSON.stringify({ message: 'Hello from behind Envoy', method: request.method, path: request.url })}\n`,
    );
  });
  // Envoy keeps idle connections for an hour. An upstream that closes them earlier, by default after 5 s, resets a request that
  // Envoy sends at the same moment: https://www.envoyproxy.io/docs/envoy/latest/faq/configuration/timeouts.
  server.keepAliveTimeout = 0;
  const port = await listenOutsideAdminPorts(server, preferredPort);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listenOutsideAdminPorts(server: Server, preferredPort: number): Promise<number> {
  for (let wanted = preferredPort; ; wanted = 0) {
    if (isAdminPort(wanted)) continue;
    const port = await listen(server, wanted).catch(() => listen(server, 0));
    if (!isAdminPort(port)) return port;
    await new Promise((resolve) => server.close(resolve));
  }
}

function isAdminPort(port: number): boolean {
  return port >= ADMIN_PORT_MIN && port <= ADMIN_PORT_MAX;
}

function listen(server: Server, preferredPort: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(preferredPort, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });
}
