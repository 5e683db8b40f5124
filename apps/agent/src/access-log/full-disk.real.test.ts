import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createTestStreams, type TestStreams } from '@flotilla/controller/testing/streams';
import { sleep } from '@flotilla/kit';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeCollector } from '../testing/fake-collector.ts';
import { LoggedEdge } from '../testing/logged-edge.ts';
import { waitFor } from '../testing/test-agent.ts';

const DISK_BYTES = 128 * 1024;
const SEGMENT_BYTES = 8000;
const PER_ROUND = 150;
const ROUNDS_MAX = 300;
const DROPPED_MIN = 5;

let collector: FakeCollector;
let t: TestStreams;
let edge: LoggedEdge;
let disk: string;
/** The agent's spool has a disk of its own, which is far smaller than its limit. */
beforeEach(async () => {
  collector = new FakeCollector();
  t = await createTestStreams({ logs: collector });
  edge = await LoggedEdge.create(t, TEST_ENVOY_VERSIONS.newest);
  disk = edge.layout.accessLogDir;
  mkdirSync(disk, { recursive: true, mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=0700`, 'none', disk]);
});
afterEach(async () => {
  await edge.stop();
  execFileSync('umount', ['-l', disk]);
  await edge.close();
  await t.close();
});

/** A path with the number of the request, and with text that cannot be compressed. */
const pathOf = (number: number) => `/n${number}/${crypto.randomUUID()}${crypto.randomUUID()}`;
const numberOf = (path: string) => Number(/^\/n(\d+)\//.exec(path)?.[1] ?? Number.NaN);
/** Dropped batches, as the controller knows them. */
const dropped = () => t.fleet.logSpools.reduce((sum, { droppedBatches }) => sum + Number(droppedBatches), 0);

it('a full disk of the agent slows no request of its Envoy, keeps the newest entries, and leaves a gap that is counted', async () => {
  collector.mode = 'hold';
  await edge.start({ accessLogs: { segmentBytes: SEGMENT_BYTES } });
  await waitFor('Envoy serves', async () => (await edge.get('/ready')) === 'answer');
  let sent = 0;
  const failed: string[] = [];
  const sendRound = async () => {
    const paths = Array.from({ length: PER_ROUND }, (_, index) => pathOf(sent + index));
    sent += PER_ROUND;
    const answers = await Promise.all(paths.map((path) => edge.get(path)));
    failed.push(...paths.filter((_, index) => answers[index] !== 'answer'));
    // So that the requests of a round are in batches of their own.
    await sleep(120);
  };
  for (let round = 0; dropped() < DROPPED_MIN && round < ROUNDS_MAX; round += 1) await sendRound();
  expect(dropped()).toBeGreaterThanOrEqual(DROPPED_MIN);
  // It goes on with the full disk.
  for (let round = 0; round < 5; round += 1) await sendRound();
  expect(failed).toEqual([]);
  collector.mode = 'store';
  await waitFor('the last entry arrives', () => collector.paths().some((path) => numberOf(path) === sent - 1));
  await waitFor('the controller hears that nothing waits', () =>
    t.fleet.logSpools.every(({ batches }) => batches === 0n),
  );

  // The controller sees the gap: numbers of batches are missing, no more than were reported as dropped.
  // A batch whose answer did not arrive in time comes again, unchanged.
  const sequences = new Set(collector.batches.map(({ sequence }) => sequence));
  const missing = Math.max(...sequences) - sequences.size;
  expect(missing).toBeGreaterThan(0);
  expect(missing).toBeLessThanOrEqual(dropped());
  expect(collector.changed).toBe(0);
  // The oldest entries were dropped, and nothing is missing behind the gap.
  const numbers = new Set(collector.paths().map(numberOf));
  const newest = Array.from({ length: sent }, (_, index) => sent - 1 - index);
  expect(newest.findIndex((number) => !numbers.has(number))).toBeGreaterThan(2 * PER_ROUND);
}, 180_000);
