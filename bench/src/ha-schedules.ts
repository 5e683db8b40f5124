// Runs a pair under many adversarial schedules, half of them with preemption or without fencing, and stops at the first that breaks a
// bound: `node bench/src/ha-schedules.ts [SCHEDULES] [FIRST_SEED]`.
import { OVERLAP_MAX_MS, RECOVERY_MAX_MS, Simulator } from '@flotilla/ha/testing/simulator';

const [schedules = 1_000_000, firstSeed = 1] = process.argv.slice(2).map(Number);
const VARIANTS = [{}, { preempts: true }, { isFencing: false }, { isFencing: false, preempts: true }];
const REPORT_EVERY = 100_000;

const startedAt = performance.now();
let takeovers = 0;
let longestMs = 0;
for (let seed = firstSeed; seed < firstSeed + schedules; seed += 1) {
  const verdict = new Simulator({ seed, ...VARIANTS[seed % VARIANTS.length] }).run();
  takeovers += verdict.takeovers;
  longestMs = Math.max(longestMs, verdict.longestOverlapMs);
  if (verdict.violations.length > 0) {
    console.log([`seed ${seed}`, ...verdict.violations, ...verdict.trace].join('\n'));
    process.exitCode = 1;
    break;
  }
  const done = seed - firstSeed + 1;
  if (done % REPORT_EVERY === 0 || done === schedules)
    console.log(
      `${done} schedules, ${takeovers} take-overs, longest overlap ${longestMs.toFixed(0)} of ${OVERLAP_MAX_MS} ms, recovery within ${RECOVERY_MAX_MS} ms, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    );
}
