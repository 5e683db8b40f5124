import { randomUUID } from 'node:crypto';
import { createGrpcServer } from '@flotilla/grpc-wire';
import { type ExchangeOptions, ExchangeServer } from '../exchange/exchange.ts';
import { PROCESS_PATH } from '../exchange/exchange-transport.ts';
import { SelfTest } from '../self-test/self-test.ts';
import { createTrafficCells, TrafficRecorder } from '../threads/traffic-recorder.ts';
import { encodeSample, SamplePeer } from './sample-peer.ts';
import { buildSampleRuntime, createSamples } from './sample-runtime.ts';

const BUDGET_MS = 60;
/** With the sample policy and its socket, which take some 30 ms. */
const LONGEST_MS = 250;
/** More make nothing faster. */
const ROUNDS_MAX = 400;
/** Exchanges of each kind that are under way at once. */
const AT_ONCE = 4;

type HeardBy = Pick<ExchangeOptions, 'listener' | 'timing'>;

/**
 * Lets the code that answers exchanges run before the first request needs it: over a socket of its own, by a policy of its own,
 * heard by nobody. Takes about 100 ms. Resolves with the rounds it came to: a filter that cannot do so (0) is slower for its
 * first requests, and does not fail.
 */
export async function warmUp(heardBy: HeardBy = hearAsRequestsAre()): Promise<number> {
  const runtime = buildSampleRuntime();
  const exchanges = new ExchangeServer({ ...heardBy, trustedHops: 0, currentRuntime: () => runtime });
  const server = createGrpcServer({
    path: PROCESS_PATH,
    open: (call) => exchanges.open(call),
    onError: () => undefined,
  });
  // In no folder (unix(7), abstract sockets), so nothing is left behind.
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
    // See above.
  } finally {
    peer?.close();
    await server.close(0);
  }
  return rounds;
}

/**
 * A recorder as requests have one, whose numbers nobody reads. Not a listener of another kind: code that has met two is
 * slower for as long as the filter runs.
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
