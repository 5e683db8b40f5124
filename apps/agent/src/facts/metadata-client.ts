import { Agent, request } from 'node:http';
import type { AskMetadata, MetadataAnswer, MetadataRequest } from './metadata-services.ts';

/** The only addresses that the detection ever connects to. The second one is AWS's for hosts without IPv4. */
const ADDRESSES = ['169.254.169.254', 'fd00:ec2::254'] as const;
const PORT = 80;
const TIMEOUT_MS = 1000;
const BODY_MAX_BYTES = 256 * 1024;

/**
 * Asks the metadata address of this machine. Never follows a redirect, never uses a proxy, and reads neither a large nor a
 * slow answer to its end.
 */
export function createMetadataClient(
  targets: readonly MetadataTarget[] = ADDRESSES.map((host) => ({ host, port: PORT })),
): AskMetadata {
  return async (asked) => {
    for (const target of targets) {
      const answer = await ask(target, asked);
      if (answer !== 'unreachable') return answer;
    }
    return undefined;
  };
}

interface MetadataTarget {
  readonly host: string;
  readonly port: number;
}

function ask(
  { host, port }: MetadataTarget,
  { path, method = 'GET', headers }: MetadataRequest,
): Promise<MetadataAnswer | undefined | 'unreachable'> {
  const { promise, resolve } = Promise.withResolvers<MetadataAnswer | undefined | 'unreachable'>();
  // An agent of its own: the global one may be set to use the proxy of the environment.
  const agent = new Agent({ keepAlive: false });
  const sent = request(
    { host, port, path, method, agent, headers: { ...headers }, signal: AbortSignal.timeout(TIMEOUT_MS) },
    (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= BODY_MAX_BYTES) chunks.push(chunk);
        else sent.destroy();
      });
      response.on('end', () => {
        if (response.statusCode !== 200) resolve(undefined);
        else resolve({ body: Buffer.concat(chunks).toString('utf8'), headers: response.headers });
      });
      response.on('close', () => resolve(undefined));
    },
  );
  let isConnected = false;
  sent.on('socket', (socket) => socket.once('connect', () => (isConnected = true)));
  sent.on('error', () => resolve(isConnected ? undefined : 'unreachable'));
  sent.on('close', () => {
    agent.destroy();
    resolve(undefined);
  });
  sent.end();
  return promise;
}
