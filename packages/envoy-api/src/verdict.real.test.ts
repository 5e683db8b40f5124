import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@bufbuild/protobuf';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { describe, expect, test } from 'vitest';
import { loadEnvoyApi } from './load.ts';
import { buildCase, VERDICT_CASES } from './testing/verdict-cases.ts';
import { DISAGREEMENTS } from './testing/verdict-disagreements.ts';

const BOOTSTRAP = 'envoy.config.bootstrap.v3.Bootstrap';
const PARALLEL = 2;

interface Verdict {
  readonly good: boolean;
  readonly detail: string;
}

async function validate(envoy: string, file: string, json: JsonObject): Promise<Verdict> {
  await writeFile(file, JSON.stringify(json));
  const args = ['--mode', 'validate', '--config-path', file, '--log-level', 'error', '--disable-hot-restart'];
  return new Promise((resolve) => {
    execFile(envoy, [...args, '--concurrency', '1'], { timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ good: error === null, detail: `${stdout}${stderr}`.slice(0, 400) });
    });
  });
}

describe.each(Object.values(TEST_ENVOY_VERSIONS))('Envoy %s', (version) => {
  test('says the same as our check of every case, but for the listed ones', { timeout: 120_000 }, async () => {
    const { path, sha256 } = await ensureTestEnvoy(version);
    const api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256 });
    const folder = await mkdtemp(join(tmpdir(), 'envoy-verdict-'));
    const found: Record<string, string> = {};
    const counts = { good: 0, bad: 0 };
    const queue = [...VERDICT_CASES.entries()];
    const work = async () => {
      for (let next = queue.pop(); next; next = queue.pop()) {
        const [index, verdictCase] = next;
        const json = buildCase(verdictCase);
        const theirs = await validate(path, join(folder, `${index}.json`), json);
        const ours = api.check(BOOTSTRAP, json).errors;
        counts[theirs.good ? 'good' : 'bad'] += 1;
        if (theirs.good === (ours.length === 0)) continue;
        found[verdictCase.name] = theirs.good ? 'good' : 'bad';
        const listed = DISAGREEMENTS[verdictCase.name];
        const message = `${verdictCase.name}: ours ${JSON.stringify(ours)}, Envoy's ${theirs.detail}`;
        expect(listed, message).toBeDefined();
      }
    };
    try {
      await Promise.all(Array.from({ length: PARALLEL }, work));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const expected = Object.entries(DISAGREEMENTS).filter(
      ([, { line }]) => line === undefined || version.startsWith(`${line}.`),
    );
    expect(found).toEqual(Object.fromEntries(expected.map(([name, { envoy }]) => [name, envoy])));
    expect(counts.good).toBeGreaterThan(110);
    expect(counts.bad).toBeGreaterThan(160);
  });
});
