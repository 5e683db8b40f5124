import { expect, it } from 'vitest';
import { columnOf, createBlock, seriesOf } from './block.ts';
import { metricId, SCOPE_IDS } from './columns.ts';
import { type NodeMinutes, sumWindow } from './window.ts';

const MINUTE_MS = 60_000;
const UNTIL = 100 * MINUTE_MS;
const WINDOW = { untilMs: UNTIL, windowMs: 2 * MINUTE_MS };

/** Requests of the last minutes; null: unknown. */
function node(requests: ReadonlyArray<number | null>, known?: Partial<NonNullable<NodeMinutes['known']>>): NodeMinutes {
  const block = createBlock(requests.length);
  const column = columnOf(seriesOf(block, SCOPE_IDS.server, null), metricId('requests_2xx'), requests.length);
  for (const [step, count] of requests.entries()) {
    if (count === null) continue;
    block.coveredMs[step] = MINUTE_MS;
    column[step] = count;
  }
  return { block, known: { firstMs: 0, newestMs: UNTIL, ...known } };
}

it('only the minutes of the window count', () => {
  const sums = sumWindow([node([1000, 60, 120]), node([0, 60, 0])], WINDOW);
  expect(sums).toMatchObject({ reporting: 2, missing: 0, requests: 240, requestsPerS: 2 });
});

it('a node that reported half of the window has the rate of that half', () => {
  expect(sumWindow([node([null, 120])], WINDOW)).toMatchObject({ reporting: 1, missing: 0, requestsPerS: 2 });
});

it('a node that reported less is missing, and counts with what it has', () => {
  const wide = { ...WINDOW, windowMs: 4 * MINUTE_MS };
  expect(sumWindow([node([null, null, null, 240])], wide)).toMatchObject({ reporting: 1, missing: 1, requestsPerS: 1 });
});

it('a node without any report is missing for ten minutes, and then no longer waited for', () => {
  const silent = (newestMs: number): NodeMinutes => ({ block: undefined, known: { firstMs: 0, newestMs } });
  expect(sumWindow([silent(UNTIL - MINUTE_MS)], WINDOW)).toMatchObject({ reporting: 0, missing: 1 });
  expect(sumWindow([silent(UNTIL - 12 * MINUTE_MS)], WINDOW)).toMatchObject({ reporting: 0, missing: 0 });
});

it('a node is not missing in the time before its first report', () => {
  expect(sumWindow([node([null, 60], { firstMs: UNTIL - MINUTE_MS })], WINDOW)).toMatchObject({ missing: 0 });
  const coming: NodeMinutes = { block: undefined, known: { firstMs: UNTIL, newestMs: UNTIL + 5000 } };
  expect(sumWindow([coming], WINDOW)).toMatchObject({ reporting: 0, missing: 0 });
});

it('a node that has left the service counts, but is not waited for', () => {
  const left: NodeMinutes = { ...node([60, null, null, null]), known: undefined };
  expect(sumWindow([left], { ...WINDOW, windowMs: 4 * MINUTE_MS })).toMatchObject({
    reporting: 1,
    missing: 0,
    requests: 60,
  });
});
