import { openDuckDbStore } from '../duckdb/store.ts';
import { toProjectId } from '../port.ts';
import { createBatch, createTraffic, NOON_MS } from './events.ts';

/**
 * Appends numbered batches of ten events until it is killed, and writes the number of each one that was acknowledged. The small sizes
 * make every kind of write frequent: settling, folding, sealing, checkpoints. Arguments: file, first sequence.
 */
const [path = '', first = '0'] = process.argv.slice(2);
const store = await openDuckDbStore({ path, now: () => NOON_MS, tailRows: 40, segmentRows: 200, walMb: 1 });
process.stdout.write('open\n');
const project = toProjectId('shop');
for (let sequence = Number(first); ; sequence += 1) {
  const events = createTraffic(10, { seed: sequence, startMs: NOON_MS - 1_000_000 + sequence * 100, spanMs: 100 });
  await store.append(project, createBatch(sequence, events));
  process.stdout.write(`${sequence}\n`);
  if (sequence % 7 === 6) await store.maintain(NOON_MS);
}
