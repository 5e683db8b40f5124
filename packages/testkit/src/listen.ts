import type { AddressInfo, Server } from 'node:net';

/** The ports of admin endpoints, to which no project may connect. */
const ADMIN_PORTS = { min: 33_100, max: 39_999 };

/** Lets a new server listen on a free port of 127.0.0.1 to which a project may connect. */
export async function listenAsUpstream<S extends Server>(create: () => S): Promise<S> {
  for (;;) {
    const server = create();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    if (port < ADMIN_PORTS.min || port > ADMIN_PORTS.max) return server;
    await new Promise((resolve) => server.close(resolve));
  }
}
