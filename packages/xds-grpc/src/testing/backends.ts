import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { X509CertificateGenerator } from '@peculiar/x509';

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
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=upstream.example.com',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    signingAlgorithm: algorithm,
    keys,
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`;
  const cert = certificate.toString('pem');
  const backend = await listen(createHttpsServer({ key, cert }, (_, response) => response.end(label)));
  return { ...backend, certificate: cert };
}

/** A port of the loopback that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
