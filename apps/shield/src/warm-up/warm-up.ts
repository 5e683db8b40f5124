import { randomUUID } from 'node:crypto';
import { createGrpcServer } from '@flotilla/grpc-wire';
import { type ExchangeOptions, ExchangeServer } from '../exchange/exchange.ts';
import { PROCESS_PATH } from '../exchange/exchange-transport.ts';
import { SelfTest } from '../self-test/self-test.ts';
import { createTrafficCells, TrafficRecorder } from '../threads/traffic-recorder.ts';
import { encodeSample, SamplePeer } from './sample-peer.ts';
import { buildSampleRuntime, createSamples } from './sample-runtime.ts';

const BUDGET_MS = 60;
/** Includes the sample policy and its socket, which take about 30 ms. */
const LONGEST_MS = 250;
/** Further rounds make nothing faster. */
const ROUNDS_MAX = 400;
/** Concurrent exchanges of each kind. */
const AT_ONCE = 4;

type HeardBy = Pick<ExchangeOptions, 'listener' | 'timing'>;

/**
 * Runs the code for exchanges before the first request needs it, over a private socket, with a private policy and
 * unobserved. Takes about 100 ms. Resolves with the number of rounds: if it fails (0), the filter is slower for its
 * first requests.
 */
export async function warmUp(heardBy: HeardBy = hearAsRequestsAre()): Promise<number> {
  const runtime = buildSampleRuntime();
  const exchanges = new ExchangeServer({ ...heardBy, trustedHops: 0, currentRuntime: () => runtime });
  const server = createGrpcServer({
    path: PROCESS_PATH,
    open: (call) => exchanges.open(call),
    onError: () => undefined,
  });
  // An abstract socket (unix(7)), so no file is left behind.
  const path = `\0flotilla-warm-up-${randomUUID()}`;
  const signal = AbortSignal.timeout(LONGEST_MS);
  let rounds = 0;
  let peer: SamplePeer | undefined;
  try {
    await server.listen({ kind: 'unix', path });
    peer = await SamplePeer.connect(path, PROCESS_PATH);
    const samples = createSamples(Date.now()).map(encodeSample);
    const round = Array.from({ length: AT_ONCE }, () => samples).flat();
    const startedAt = performance.now();
    while (rounds < ROUNDS_MAX && performance.now() - startedAt < BUDGET_MS) {
      await peer.ask(round, signal);
      rounds += 1;
    }
  } catch {
    // A failed warm-up is not an error, see above.
  } finally {
    peer?.close();
    await server.close(0);
  }
  return rounds;
}

/**
 * A recorder like that of requests, whose numbers nobody reads. Not another kind of listener: code that has seen two
 * kinds stays slower for as long as the filter runs.
 */
function hearAsRequestsAre(): HeardBy {
  const traffic = new TrafficRecorder({
    cells: createTrafficCells(1),
    thread: 0,
    selfTest: new SelfTest(() => undefined),
    onFinding: () => undefined,
    onEngineError: () => undefined,
    onExchangeError: () => undefined,
  });
  return { listener: traffic, timing: traffic.timing };
}
