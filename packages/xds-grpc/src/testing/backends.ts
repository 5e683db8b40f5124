import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServerCertificate } from '@flotilla/testkit';

export interface Backend {
  readonly port: number;
  close(): void;
}

async function listen(server: Server): Promise<Backend> {
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}

/** Answers every request with `label`. */
export function startBackend(label: string): Promise<Backend> {
  return listen(createHttpServer((_, response) => response.end(label)));
}

export async function startTlsBackend(label: string): Promise<Backend & { readonly certificate: string }> {
  const { certificatePem: certificate, privateKeyPem: key } = await createServerCertificate('upstream.example.com');
  const server = createHttpsServer({ key, cert: certificate }, (_, response) => response.end(label));
  return { ...(await listen(server)), certificate };
}
