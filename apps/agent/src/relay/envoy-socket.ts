import type { Closable } from '@flotilla/kit';
import { type AdsServiceOptions, createAdsService } from '@flotilla/xds-grpc';
import { Server } from '@grpc/grpc-js';
import { type SocketPlace, serveSocket } from '../host/index.ts';

export interface EnvoySocketOptions extends SocketPlace {
  readonly openStream: AdsServiceOptions['openStream'];
}

const KEEPALIVE_MS = 30_000;

/**
 * Opens the ADS endpoint of one service: a Unix socket that only this service's user can open. The socket identifies the
 * caller; the node id that Envoy sends is ignored. A socket of an earlier agent is replaced.
 */
export async function openEnvoySocket(options: EnvoySocketOptions): Promise<Closable> {
  const ads = createAdsService({ openStream: options.openStream });
  const server = new Server({
    'grpc.max_send_message_length': -1,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.enable_channelz': 0,
  });
  server.addService(ads.definition, ads.handlers);
  const socket = await serveSocket(server, options);
  return {
    close() {
      ads.close();
      return socket.close();
    },
  };
}
