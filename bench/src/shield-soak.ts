// Measures memory of the filter under every kind of traffic at once, with four policy reloads per second.
// node bench/src/shield-soak.ts [minutes]
import { soak } from '../../apps/shield/src/testing/soak.ts';
import { median } from './table.ts';

const minutes = Number(process.argv[2] ?? 30);
const TENTHS = 10;

const { rssMb, exchanges, reloads, surprises } = await soak(minutes * 60);
const size = Math.ceil(rssMb.length / TENTHS);
const rows = Array.from({ length: TENTHS }, (_, tenth) => rssMb.slice(tenth * size, (tenth + 1) * size));
console.log(
  `${exchanges} exchanges, ${reloads} reloads in ${minutes} minutes; ${surprises.length} ended otherwise than they should`,
);
console.table(
  Object.fromEntries(
    rows.map((part, tenth) => [`tenth ${tenth + 1}`, { 'RSS median (MB)': Math.round(median(part)) }]),
  ),
);
if (surprises.length > 0) console.log(surprises.slice(0, 10).join('\n'));
