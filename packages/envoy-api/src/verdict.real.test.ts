import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@bufbuild/protobuf';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EnvoyApi } from './api.ts';
import { loadEnvoyApi } from './load.ts';
import { listEmptyExtensions } from './testing/extension-slots.ts';
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

/** Runs `work` over all items, some at a time, in a folder that is gone afterwards. */
async function validateAll<T>(
  envoy: string,
  items: readonly T[],
  toJson: (item: T) => JsonObject,
  judge: (item: T, json: JsonObject, verdict: Verdict) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'envoy-verdict-'));
  const queue = [...items.entries()];
  const work = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const [index, item] = next;
      const json = toJson(item);
      judge(item, json, await validate(envoy, join(folder, `${index}.json`), json));
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL }, work));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.each(Object.values(TEST_ENVOY_VERSIONS))('Envoy %s', { timeout: 240_000 }, (version) => {
  let envoy: string;
  let api: EnvoyApi;

  beforeAll(async () => {
    const { path, sha256 } = await ensureTestEnvoy(version);
    envoy = path;
    api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256 });
  });

  test('says the same as our check of every case, but for the listed ones', async () => {
    const found: Record<string, string> = {};
    const counts = { good: 0, bad: 0 };
    await validateAll(envoy, VERDICT_CASES, buildCase, ({ name }, json, theirs) => {
      const ours = api.check(BOOTSTRAP, json).errors;
      const verdict = theirs.good ? 'good' : 'bad';
      counts[verdict] += 1;
      if (theirs.good === (ours.length === 0)) return;
      found[name] = verdict;
      expect(DISAGREEMENTS[name], `${name}: ours ${JSON.stringify(ours)}, Envoy's ${theirs.detail}`).toBeDefined();
    });
    const expected = Object.entries(DISAGREEMENTS).filter(
      ([, { lines }]) => lines === undefined || lines.some((line) => version.startsWith(`${line}.`)),
    );
    expect(found).toEqual(Object.fromEntries(expected.map(([name, { envoy: verdict }]) => [name, verdict])));
    expect(counts.good).toBeGreaterThan(110);
    expect(counts.bad).toBeGreaterThan(160);
  });

  test('breaks a rule of the descriptors by an empty extension exactly when our check says so', async () => {
    let [taken, byRule] = [0, 0];
    await validateAll(
      envoy,
      listEmptyExtensions(api),
      ({ json }) => json,
      ({ typeName }, json, theirs) => {
        // Messages that are no configuration of an extension by themselves
        if (/didn't find a registered/i.test(theirs.detail)) return;
        const ours = api.check(BOOTSTRAP, json).errors;
        const theirRule = theirs.detail.includes('Proto constraint validation failed');
        // What else refuses it is code: a module to load, an either-or, a place in the chain
        const refusedByCode = !theirs.good && !theirRule;
        const message = `${typeName}: ours ${JSON.stringify(ours)}, Envoy's ${theirs.detail}`;
        if (!refusedByCode) expect(ours.length > 0, message).toBe(theirRule);
        taken += 1;
        if (theirRule) byRule += 1;
      },
    );
    expect(taken).toBeGreaterThan(100);
    expect(byRule).toBeGreaterThan(30);
  });
});
