import { fork } from 'node:child_process';
import { join } from 'node:path';
import {
  countEncodings,
  createResource,
  createSnapshot,
  RESOURCE_TYPE,
  type Snapshot,
  SnapshotCache,
  type SnapshotPart,
  type StreamObserver,
} from '@flotilla/xds';
import { createAdsService, planSnapshot } from '@flotilla/xds-grpc';
import { Server, ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { createNaiveService } from './xds-fanout-naive.ts';

/**
 * Measures the time until a change of one cluster shared by all nodes is acknowledged by every node, over real gRPC on
 * loopback, with the nodes in another process; compared in the same run with encoding every response for every stream.
 * `node bench/src/xds-fanout.ts [nodes] [rounds]`
 */
const NODES = Number(process.argv[2] ?? 1_000);
const ROUNDS = Number(process.argv[3] ?? 7);
const SHARED = 40;
const RESOURCE_BYTES = 2_000;

const { cluster, route } = RESOURCE_TYPE;
const body = (text: string) => Buffer.from(text.padEnd(RESOURCE_BYTES, '.'));
const shared: SnapshotPart[] = Array.from({ length: SHARED }, (_, index) => ({
  resource: createResource({ typeUrl: cluster, name: `shared-${index}` }, body(`shared ${index}`)),
}));

function deriveSnapshot(index: number, edit: string): Snapshot {
  const changed = { resource: createResource({ typeUrl: cluster, name: 'changed' }, body(edit)) };
  const own = { resource: createResource({ typeUrl: route, name: 'main' }, body(`route of ${index}`)) };
  const dependsOn = [{ typeUrl: cluster, name: 'changed' }];
  return createSnapshot([...shared, changed, { ...own, dependsOn }]);
}

interface Figures {
  readonly firstLoadMs: number;
  readonly medianMs: number;
  readonly longestMs: number;
  readonly computeMs: number;
  readonly rssMb: number;
  readonly encodings: number;
}

type Open = (nodeId: string) => { source: ReturnType<SnapshotCache['source']>; observer: StreamObserver };

/** Counts acknowledgements by version. */
class Acks {
  readonly #counts = new Map<string, number>();
  #wake = () => {};

  add(version: string): void {
    this.#counts.set(version, (this.#counts.get(version) ?? 0) + 1);
  }

  notify(): void {
    this.#wake();
  }

  /** Waits until each plan was acknowledged as often as it is listed. */
  async until(plans: readonly string[]): Promise<void> {
    const wanted = new Map<string, number>();
    for (const plan of plans) wanted.set(plan, (wanted.get(plan) ?? 0) + 1);
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        if ([...wanted].every(([version, count]) => (this.#counts.get(version) ?? 0) >= count)) resolve();
      };
      this.#wake();
    });
  }
}

async function measure(kind: 'shared' | 'naive'): Promise<Figures> {
  const cache = new SnapshotCache();
  const acks = new Acks();
  const open: Open = (nodeId) => ({
    source: cache.source(nodeId),
    observer: {
      acknowledged: ({ resources }) => {
        for (const { typeUrl, version } of resources) {
          if (typeUrl === RESOURCE_TYPE.nodePlan || typeUrl === cluster) acks.add(version);
        }
        acks.notify();
      },
    },
  });
  const service =
    kind === 'naive'
      ? createNaiveService(open)
      : createAdsService({ openStream: ({ nodeId }) => ({ accept: true, ...open(nodeId) }) });
  const before = countEncodings();
  const setAll = (edit: string) => {
    const nodes = Array.from({ length: NODES }, (_, index) => index);
    const started = performance.now();
    const plans = nodes.map((index) => {
      const nodeId = `shop::p1::c${index}`;
      const planned = planSnapshot(nodeId, deriveSnapshot(index, edit));
      cache.set(nodeId, planned);
      return [...planned.resources.values()].find(({ typeUrl }) => typeUrl === RESOURCE_TYPE.nodePlan)?.version ?? '';
    });
    return { plans, computeMs: performance.now() - started };
  };
  const first = setAll('edit 0');
  const { port, stop } = await listen(service);
  const nodes = fork(join(import.meta.dirname, 'xds-fanout-nodes.ts'), [`127.0.0.1:${port}`, `${NODES}`]);
  const loading = performance.now();
  await acks.until(first.plans);
  const firstLoadMs = performance.now() - loading;
  const times: number[] = [];
  let computeMs = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const started = performance.now();
    const set = setAll(`edit ${round}`);
    computeMs += set.computeMs / ROUNDS;
    await acks.until(set.plans);
    times.push(performance.now() - started);
  }
  const rssMb = process.memoryUsage().rss / 1e6;
  nodes.disconnect();
  stop();
  times.sort((a, b) => a - b);
  const medianMs = times[Math.floor(times.length / 2)] ?? 0;
  return {
    firstLoadMs,
    medianMs,
    longestMs: times.at(-1) ?? 0,
    computeMs,
    rssMb,
    encodings: countEncodings() - before,
  };
}

async function listen({ definition, handlers }: { definition: object; handlers: object }) {
  const server = new Server();
  server.addService(definition as Parameters<Server['addService']>[0], handlers as UntypedServiceImplementation);
  const port = await new Promise<number>((resolve, reject) => {
    const done = (error: Error | null, bound: number) => (error ? reject(error) : resolve(bound));
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), done);
  });
  return { port, stop: () => server.forceShutdown() };
}

const rounded = (figures: Figures) =>
  Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Math.round(value)]));
const idleRssMb = Math.round(process.memoryUsage().rss / 1e6);
console.log(
  JSON.stringify({
    nodes: NODES,
    rounds: ROUNDS,
    resourcesPerNode: SHARED + 2,
    resourceBytes: RESOURCE_BYTES,
    idleRssMb,
  }),
);
// Both run twice: the later run has warm code and a grown heap.
for (const kind of ['naive', 'shared', 'naive', 'shared'] as const) {
  console.log(JSON.stringify({ kind, ...rounded(await measure(kind)) }));
}
process.exit(0);
