import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvoyApi } from '@flotilla/envoy-api';
import { ensureTestEnvoy } from '@flotilla/testkit';
import {
  createSnapshot,
  NodeRollout,
  type ResourceKey,
  type ResourceStatus,
  type RolloutLimits,
  type RolloutStatus,
  type SentBatch,
  type SnapshotPart,
  type StreamObserver,
  toResourceKey,
} from '@flotilla/xds';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { createAdminProbe } from '../admin-probe.ts';
import { createAdsService } from '../ads-service.ts';
import { type EnvoyProcess, startEnvoy } from './envoy-process.ts';
import { createParts } from './resources.ts';
import { startSlowRelay } from './slow-relay.ts';

/** An event on the stream, e.g. `sent Cluster a b`, `sent Cluster -c`, `ack Listener l`, `refused Cluster a`. */
export type Trace = string;

export interface FixtureOptions {
  readonly version: string;
  readonly limits?: Partial<RolloutLimits>;
  /** Delay of each message from Envoy. */
  readonly delayMs?: () => number;
}

export type EnvoyFixture = Awaited<ReturnType<typeof createEnvoyFixture>>;

/** A real Envoy whose ADS stream ends at a `NodeRollout`, as in an agent. */
export async function createEnvoyFixture({ version, limits, delayMs }: FixtureOptions) {
  const { path: binaryPath } = await ensureTestEnvoy(version);
  const parts = createParts(await loadEnvoyApi({ version, binaryPath }));
  const dir = await mkdtemp(join(tmpdir(), 'xds-'));
  const socket = join(dir, 'xds.sock');
  const trace: Trace[] = [];
  const wakers = new Set<() => void>();
  let envoy: EnvoyProcess | undefined;
  const rollout = new NodeRollout({
    probe: {
      check: (resources, signal) => createAdminProbe({ socketPath: envoy?.adminSocket ?? '' }).check(resources, signal),
    },
    limits: { graceMs: 300, drainMs: 3_000, ...limits },
    onStatus: () => {
      for (const wake of wakers) wake();
    },
  });
  const stopServer = await serve(rollout, socket, trace);
  const stopRelay = delayMs && (await startSlowRelay({ listen: `${socket}.slow`, target: socket, delayMs }));
  const envoyOptions = { version, dir, nodeId: 'shop::p1::c1', xdsSocket: stopRelay ? `${socket}.slow` : socket };

  const until = async (what: string, met: (status: RolloutStatus) => boolean, limitMs = 30_000) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => {
      if (met(rollout.status())) resolve();
    };
    const deadline = setTimeout(() => {
      reject(
        new Error(`not ${what}: ${JSON.stringify(rollout.status(), null, 1)}\n${trace.join('\n')}\n${envoy?.log()}`),
      );
    }, limitMs);
    wakers.add(look);
    look();
    try {
      await promise;
    } finally {
      wakers.delete(look);
      clearTimeout(deadline);
    }
  };

  return {
    parts,
    rollout,
    trace,
    until,
    start: async () => {
      envoy = await startEnvoy(envoyOptions);
      return envoy;
    },
    setTarget: (...wanted: SnapshotPart[]) => rollout.setTarget(createSnapshot(wanted)),
    untilLive: () => until('live', ({ state }) => state === 'live'),
    untilPartial: () => until('partial', ({ state }) => state === 'partial'),
    untilRetired: () => until('all retired', ({ state, retiring }) => state === 'live' && retiring.length === 0),
    statusOf: (part: SnapshotPart): ResourceStatus | undefined => {
      const key: ResourceKey = toResourceKey(part.resource);
      return rollout.status().resources.find((resource) => toResourceKey(resource) === key);
    },
    admin: (path: string) => envoy?.admin(path) ?? Promise.reject(new Error('no Envoy')),
    kill: () => envoy?.kill() ?? Promise.resolve(),
    close: async () => {
      await envoy?.kill();
      stopRelay?.();
      stopServer();
      rollout.close();
      await rm(dir, { recursive: true });
    },
  };
}

async function serve(rollout: NodeRollout, socket: string, trace: Trace[]): Promise<() => void> {
  const service = createAdsService({
    openStream: () => {
      const { binding } = rollout.openSession();
      return { accept: true, ...binding, observer: withTrace(binding.observer, trace) };
    },
  });
  const server = new Server();
  server.addService(service.definition, service.handlers);
  await new Promise<void>((resolve, reject) => {
    const done = (error: Error | null) => (error ? reject(error) : resolve());
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), done);
  });
  return () => {
    service.close();
    server.forceShutdown();
  };
}

function withTrace(observer: StreamObserver, trace: Trace[]): StreamObserver {
  const note = (word: string, { typeUrl, resources, removed }: SentBatch) => {
    const names = [...resources.map(({ name }) => name), ...removed.map((name) => `-${name}`)];
    trace.push([word, typeUrl.slice(typeUrl.lastIndexOf('.') + 1), ...names].join(' '));
  };
  return {
    opened: (typeUrl, versions) => observer.opened?.(typeUrl, versions),
    subscribed: (typeUrl, names) => observer.subscribed?.(typeUrl, names),
    unsubscribed: (typeUrl, names) => observer.unsubscribed?.(typeUrl, names),
    sent: (batch) => {
      note('sent', batch);
      observer.sent?.(batch);
    },
    acknowledged: (batch) => {
      note('ack', batch);
      observer.acknowledged?.(batch);
    },
    refused: (batch, reason) => {
      note('refused', batch);
      observer.refused?.(batch, reason);
    },
  };
}

const agent = new Agent({ keepAlive: true });

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly filter: string | undefined;
}

export function get(port: number, options: { path?: string; host?: string } = {}): Promise<Answer> {
  const headers = options.host === undefined ? {} : { host: options.host };
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port, path: options.path ?? '/', headers, agent, timeout: 5_000 };
    const outgoing = request(target, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      const filter = response.headers['x-filter'];
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, filter: filter?.toString() }));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', reject);
    outgoing.end();
  });
}
