import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@bufbuild/protobuf';
import { isFullTier } from '@flotilla/kit/testing';

const TABLE = new URL('./verdicts.golden.json', import.meta.url);
const isWriting = process.env.GOLDEN === 'write';
const RECORD = 'GOLDEN=write npx vitest run packages/envoy-api/src/verdict.real.test.ts';
const PARALLEL = 2;

/** `rule`: Envoy rejects it by a rule of its descriptors. `unregistered`: Envoy has no extension of that type. */
export type Verdict = 'good' | 'bad' | 'rule' | 'unregistered';

interface Binary {
  readonly version: string;
  readonly path: string;
  readonly sha256: string;
}

/** By the digest of the binary, then by the digest of the bootstrap. */
type Table = Record<string, { readonly version: string; readonly verdicts: Readonly<Record<string, Verdict>> }>;

/**
 * Returns the result of `envoy --mode validate` for each bootstrap, in order. A binary always gives the same result for
 * the same bootstrap, so the results of the test binaries are recorded. Envoy itself is asked in the full tier, where
 * the results must equal the recorded ones, and for other binaries, such as those of other platforms.
 */
export async function readVerdicts(binary: Binary, bootstraps: readonly JsonObject[]): Promise<Verdict[]> {
  const table: Table = JSON.parse(await readFile(TABLE, 'utf8'));
  const recorded = table[binary.sha256]?.verdicts;
  const digests = bootstraps.map(digestOf);
  if (isWriting) return record(table, binary, { digests, verdicts: await askAll(binary.path, bootstraps) });
  if (recorded) expectSameCases(binary.version, Object.keys(recorded), digests);
  if (!recorded || isFullTier) {
    const verdicts = await askAll(binary.path, bootstraps);
    const changed = digests.filter((digest, i) => recorded && recorded[digest] !== verdicts[i]);
    if (changed.length > 0) throw new Error(`Envoy ${binary.version} no longer says what is recorded of ${changed}`);
    return verdicts;
  }
  return digests.map((digest) => recorded[digest] ?? 'bad');
}

function digestOf(bootstrap: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(bootstrap)).digest('hex').slice(0, 16);
}

function expectSameCases(version: string, recorded: readonly string[], digests: readonly string[]): void {
  const missing = digests.filter((digest) => !recorded.includes(digest)).length;
  const stale = recorded.filter((digest) => !digests.includes(digest)).length;
  if (missing + stale === 0) return;
  const counts = `${missing} cases have no recorded verdict and ${stale} recorded verdicts have no case`;
  throw new Error(`Envoy ${version}: ${counts}. Ask Envoy and record its verdicts: ${RECORD}`);
}

async function record(
  table: Table,
  { sha256, version }: Binary,
  { digests, verdicts }: { readonly digests: readonly string[]; readonly verdicts: Verdict[] },
): Promise<Verdict[]> {
  const sorted = digests.map((digest, i) => [digest, verdicts[i]] as const).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const others = Object.entries(table).filter(([key]) => key !== sha256);
  const written = Object.fromEntries([...others, [sha256, { version, verdicts: Object.fromEntries(sorted) }]]);
  await writeFile(TABLE, `${JSON.stringify(written, undefined, 2)}\n`);
  return verdicts;
}

async function askAll(envoy: string, bootstraps: readonly JsonObject[]): Promise<Verdict[]> {
  const folder = await mkdtemp(join(tmpdir(), 'envoy-verdict-'));
  const verdicts: Verdict[] = [];
  const queue = [...bootstraps.entries()];
  const work = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const [index, bootstrap] = next;
      verdicts[index] = await ask(envoy, join(folder, `${index}.json`), bootstrap);
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL }, work));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return verdicts;
}

async function ask(envoy: string, file: string, bootstrap: JsonObject): Promise<Verdict> {
  await writeFile(file, JSON.stringify(bootstrap));
  const args = ['--mode', 'validate', '--config-path', file, '--log-level', 'error', '--disable-hot-restart'];
  return new Promise((resolve, reject) => {
    execFile(envoy, [...args, '--concurrency', '1'], { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error(`${envoy} did not end in time`));
      else resolve(error === null ? 'good' : toVerdict(`${stdout}${stderr}`));
    });
  });
}

function toVerdict(output: string): Verdict {
  if (/didn't find a registered/i.test(output)) return 'unregistered';
  return output.includes('Proto constraint validation failed') ? 'rule' : 'bad';
}
