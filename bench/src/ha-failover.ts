// Measures failovers of a pair beside those of keepalived, on the same hosts and network: `node bench/src/ha-failover.ts [RUNS]`. Needs
// root, and the Debian packages keepalived, tcpdump and socat.
import { PairStage } from '@flotilla/ha-daemon/testing/pair-stage';
import { sleep } from '@flotilla/kit';
import { DaemonPair, type FailoverPair, KeepalivedPair } from './ha/pairs.ts';
import { median } from './table.ts';

const [runs = 10] = process.argv.slice(2).map(Number);
const SETTLE_MS = 500;
const WATCH_MS = 1500;
const KINDS = ['kill -9', 'planned'] as const;

interface Measured {
  /** From the event to the first announcement of the second member. */
  readonly announcedMs: number;
  /** From the event to its first answer to a client. */
  readonly answeredMs: number;
  readonly failed: number;
  readonly slow: number;
}

const stage = await PairStage.open();
try {
  const found = new Map<string, Measured[]>();
  const pairs: readonly FailoverPair[] = [new DaemonPair(stage), new KeepalivedPair(stage)];
  for (let run = 0; run < runs; run += 1)
    for (const pair of pairs)
      for (const kind of KINDS) {
        const name = `${pair.name}, ${kind}`;
        found.set(name, [...(found.get(name) ?? []), await measure(pair, kind)]);
      }
  for (const [name, all] of found) print(name, all);
} finally {
  await stage.close();
}

async function measure(pair: FailoverPair, kind: (typeof KINDS)[number]): Promise<Measured> {
  await pair.start();
  const capture = await stage.capture();
  const client = await stage.client();
  await sleep(SETTLE_MS);
  const at = performance.timeOrigin + performance.now();
  if (kind === 'planned') await pair.handOver();
  else pair.kill();
  await stage.until(() => capture.firstAt('m1', 'answer', at) !== undefined, 'the second member answers');
  await sleep(WATCH_MS);
  const { failed, slow } = await client.stop();
  await capture.stop();
  await pair.stop();
  const since = (event: 'announcement' | 'answer') => (capture.firstAt('m1', event, at) ?? Number.NaN) - at;
  return { announcedMs: since('announcement'), answeredMs: since('answer'), failed, slow };
}

function print(name: string, all: readonly Measured[]): void {
  const ms = (pick: (one: Measured) => number) => {
    const values = all.map(pick);
    return `${median(values).toFixed(1)} ms (${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)})`;
  };
  const sum = (pick: (one: Measured) => number) => all.reduce((total, one) => total + pick(one), 0);
  console.log(
    `${name}: announced after ${ms((one) => one.announcedMs)}, answered after ${ms((one) => one.answeredMs)}, ${sum((one) => one.failed)} requests failed and ${sum((one) => one.slow)} took longer than 500 ms in ${all.length} runs`,
  );
}
