import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ReleaseServer {
  readonly url: string;
  /** Requested paths, in order. */
  readonly asked: readonly string[];
  /** Responds to `path` with bytes or with a handler. */
  serve(path: string, answer: Uint8Array | string | Handler): void;
  close(): Promise<void>;
}

/** A release page on loopback. Responds 404 to unknown paths. */
export async function startReleaseServer(): Promise<ReleaseServer> {
  const answers = new Map<string, Handler>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    const handler = answers.get(path);
    if (handler) return handler(request, response);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    serve: (path, answer) => {
      answers.set(path, typeof answer === 'function' ? answer : (_, response) => response.end(answer));
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A program that responds like an Envoy of this version; `padding` makes its download take several packets. */
export function makeEnvoyScript(version: string, padding = 0): Buffer {
  const script = [
    '#!/bin/sh',
    `case "$1" in`,
    `  --version) echo; echo "envoy  version: 0123abcd/${version}/Clean/RELEASE/BoringSSL"; echo;;`,
    `  --hot-restart-version) printf 11.104 >&2;;`,
    'esac',
    'exit 0',
    '#'.repeat(padding),
    '',
  ];
  return Buffer.from(script.join('\n'));
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
