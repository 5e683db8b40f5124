import { chmod, lchown, rm } from 'node:fs/promises';
import type { Closable } from '@flotilla/kit';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServiceIdentity } from './identity.ts';

export interface SocketPlace {
  /** Path in a folder that only the agent may change. */
  readonly path: string;
  /** User whose Envoy may connect. Undefined means the agent's own user. */
  readonly identity: ServiceIdentity | undefined;
}

/** Serves gRPC on a Unix socket that only the service's user can open. A socket of an earlier agent is replaced. */
export async function serveSocket(server: Server, { path, identity }: SocketPlace): Promise<Closable> {
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
      server.forceShutdown();
      await rm(path, { force: true });
    },
  };
}
