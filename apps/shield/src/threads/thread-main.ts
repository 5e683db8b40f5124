import { parentPort, workerData } from 'node:worker_threads';
import { type PolicyCounts, RuntimeBuilder, ThreadCounts } from '@flotilla/decision';
import { compileEngine, LimiterArena } from '@flotilla/engines';
import { DROPS_REPORTED_EVERY_MS, FindingRecorder } from '../events/finding-recorder.ts';
import { arrivalClock } from '../exchange/arrival-clock.ts';
import { SelfTest } from '../self-test/self-test.ts';
import { type FromThread, type ThreadData, type ToThread, toExchangeFailure, toThreadError } from './messages.ts';
import { ServingThread } from './serving-thread.ts';
import { createTrafficCells, TrafficRecorder } from './traffic-recorder.ts';

// Entry of every thread but the first. Executes messages in order, and answers each before the next.
const data = workerData as ThreadData;
const tell = (message: FromThread) => parentPort?.postMessage(message);

const arena = new LimiterArena(data.limiters);
const counts = new ThreadCounts(data.counts);
const recorder = new FindingRecorder({
  node: data.node,
  clock: arrivalClock,
  sink: {
    add: (finding) => tell({ kind: 'finding', finding }),
    drop: (count) => tell({ kind: 'dropped', count }),
  },
});
setInterval(() => recorder.flush(), DROPS_REPORTED_EVERY_MS).unref();
const traffic = new TrafficRecorder({
  cells: createTrafficCells(0, data.traffic),
  thread: data.thread,
  selfTest: new SelfTest((reading) => tell({ kind: 'self_test', reading })),
  onFinding: (finding, request) => recorder.onFinding(finding, request),
  onEngineError: (engine, error) => tell({ kind: 'engine_failed', engine, error: toThreadError(error) }),
  onExchangeError: (error) => tell({ kind: 'exchange_failed', failure: toExchangeFailure(error) }),
});
const serving = new ServingThread({ listen: data.listen, trustedHops: data.trustedHops, traffic });
let builder: RuntimeBuilder | undefined;

async function carryOut(message: ToThread): Promise<void> {
  switch (message.kind) {
    case 'begin': {
      const { head, nowMs, places } = message;
      const previous = serving.runtimeIfAny;
      builder = new RuntimeBuilder(head, {
        nowMs,
        ...(previous && { previous }),
        counters: { countsOf: (name): PolicyCounts => counts.at(places.get(name) ?? 0) },
        compile: (block, id) => compileEngine(block, arrivalClock, { arena, ...(id !== undefined && { id }) }),
      });
      return;
    }
    case 'piece':
      builder?.add(message.piece, message.limiterIds);
      return;
    case 'end':
      if (builder) serving.hold(builder.finish());
      builder = undefined;
      return;
    case 'listen':
      return serving.listen();
    case 'close':
      await serving.close(message.graceMs);
      recorder.flush();
      parentPort?.unref();
  }
}

parentPort?.on('message', (message: ToThread) => {
  carryOut(message).then(
    () => tell({ kind: 'done' }),
    (error: unknown) => tell({ kind: 'refused', message: toThreadError(error).message }),
  );
});
