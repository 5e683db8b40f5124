import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type LogFormat, type LogItem, LogReader, Replay } from '@flotilla/decision';
import { toErrorMessage } from '@flotilla/kit';
import { parseFlags, parseTrustedHops, pick } from '../flags.ts';
import { locateProblems } from '../locate-problems.ts';
import { openPolicies } from './open-policies.ts';
import { renderReplay } from './replay-text.ts';
import { EXIT_FAILED, EXIT_OK, type ShieldIo } from './shield-io.ts';
import { refuseUsage } from './usage.ts';

const FORMATS: readonly LogFormat[] = ['jsonl', 'har', 'envoy'];

/**
 * `flotilla shield replay --policy NEW LOG...`: shows which verdicts on recorded requests would change. Exit code 0; 1
 * if a policy or log cannot be read, or if a verdict changes with `--fail-on-change`.
 */
export async function runReplay(args: readonly string[], io: ShieldIo): Promise<number> {
  const flags = parseFlags(args, {
    policy: { type: 'string' },
    baseline: { type: 'string' },
    format: { type: 'string' },
    'xff-trusted-hops': { type: 'string' },
    'fail-on-change': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (!flags.ok) return refuseUsage(io, flags.error);
  const { values, positionals: logs } = flags.value;
  if (typeof values.policy !== 'string') return refuseUsage(io, 'replay needs --policy');
  if (logs.length === 0) return refuseUsage(io, 'replay needs a LOG');
  const format = FORMATS.find((known) => known === values.format);
  if (values.format !== undefined && format === undefined) {
    return refuseUsage(io, `--format must be one of: ${FORMATS.join(', ')}`);
  }
  const hopsText = typeof values['xff-trusted-hops'] === 'string' ? values['xff-trusted-hops'] : undefined;
  const hops = parseTrustedHops(pick('xff-trusted-hops', hopsText, undefined));
  if (!hops.ok) return refuseUsage(io, hops.error);

  const candidate = await openPolicies(values.policy);
  if (!candidate.ok) return complain(io, await locateProblems(values.policy, candidate.error));
  const baseline = typeof values.baseline === 'string' ? await openPolicies(values.baseline) : undefined;
  if (baseline?.ok === false) return complain(io, await locateProblems(String(values.baseline), baseline.error));

  const replay = new Replay(baseline?.value.loaded, candidate.value.loaded, { trustedHops: hops.value });
  try {
    for (const log of await inOrderOfTime(logs, format)) {
      for await (const item of readLog(log, format)) replay.add(item);
    }
  } catch (error) {
    return complain(io, [`flotilla shield: ${toErrorMessage(error)}`]);
  }
  const report = replay.finish();
  io.stdout.write(values.json === true ? `${JSON.stringify(report, null, 2)}\n` : renderReplay(report));
  return values['fail-on-change'] === true && report.totals.flips > 0 ? EXIT_FAILED : EXIT_OK;
}

function complain(io: ShieldIo, lines: readonly string[]): number {
  io.stderr.write(`${lines.join('\n')}\n`);
  return EXIT_FAILED;
}

/** Rotated logs may be listed in any order; limiters need the oldest first. */
async function inOrderOfTime(logs: readonly string[], format: LogFormat | undefined): Promise<readonly string[]> {
  if (logs.length === 1) return logs;
  const begun = await Promise.all(logs.map(async (log) => ({ log, beginsAt: await findBeginning(log, format) })));
  return begun.sort((a, b) => a.beginsAt - b.beginsAt).map(({ log }) => log);
}

async function findBeginning(log: string, format: LogFormat | undefined): Promise<number> {
  for await (const item of readLog(log, format)) {
    if (item.kind === 'request' && item.record.timeMs !== undefined) return item.record.timeMs;
  }
  return Number.POSITIVE_INFINITY;
}

/** Reads the records of a file, decompressed if its name ends in `.gz`. */
async function* readLog(path: string, format: LogFormat | undefined): AsyncGenerator<LogItem, void> {
  const isPacked = path.endsWith('.gz');
  const reader = new LogReader(isPacked ? path.slice(0, -'.gz'.length) : path, format);
  const file = createReadStream(path);
  // Errors of the file end the loop over the output.
  const bytes = isPacked ? pipeline(file, createGunzip(), () => undefined) : file;
  for await (const chunk of bytes) if (chunk instanceof Buffer) yield* reader.push(chunk);
  yield* reader.end();
}
