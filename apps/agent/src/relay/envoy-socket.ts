import { chmod, lchown, rm } from 'node:fs/promises';
import type { Closable } from '@flotilla/kit';
import { type AdsServiceOptions, createAdsService } from '@flotilla/xds-grpc';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServiceIdentity } from '../host/index.ts';

export interface EnvoySocketOptions {
  /** Path in a folder that only the agent may change. */
  readonly path: string;
  /** User whose Envoy may connect. Undefined means the agent's own user. */
  readonly identity: ServiceIdentity | undefined;
  readonly openStream: AdsServiceOptions['openStream'];
}

const KEEPALIVE_MS = 30_000;

/**
 * Opens the ADS endpoint of one service: a Unix socket that only this service's user can open. The socket identifies the
 * caller; the node id that Envoy sends is ignored. A socket of an earlier agent is replaced.
 */
export async function openEnvoySocket(options: EnvoySocketOptions): Promise<Closable> {
  const { path, identity } = options;
  const ads = createAdsService({ openStream: options.openStream });
  const server = new Server({
    'grpc.max_send_message_length': -1,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.enable_channelz': 0,
  });
  server.addService(ads.definition, ads.handlers);
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  // The folder belongs to the agent, so nobody else can have replaced the socket.
  if (identity) await lchown(path, process.getuid?.() ?? 0, identity.gid);
  await chmod(path, 0o660);
  return {
    async close() {
      ads.close();
      server.forceShutdown();
      await rm(path, { force: true });
    },
  };
}
