import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EnvoyApi } from './api.ts';
import { loadEnvoyApi } from './load.ts';
import { readVerdicts, type Verdict } from './testing/envoy-verdicts.ts';
import { type EmptyExtension, listEmptyExtensions } from './testing/extension-slots.ts';
import { buildCase, VERDICT_CASES } from './testing/verdict-cases/index.ts';
import { DISAGREEMENTS } from './testing/verdict-disagreements.ts';

const BOOTSTRAP = 'envoy.config.bootstrap.v3.Bootstrap';
const CASES = VERDICT_CASES.map((one) => ({ name: one.name, json: buildCase(one) }));

describe.each(Object.values(TEST_ENVOY_VERSIONS))('for Envoy %s,', (version) => {
  let api: EnvoyApi;
  let extensions: EmptyExtension[];
  let verdictsOfCases: Verdict[];
  let verdictsOfExtensions: Verdict[];

  beforeAll(async () => {
    const { path, sha256 } = await ensureTestEnvoy(version);
    api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256 });
    extensions = listEmptyExtensions(api);
    const bootstraps = [...CASES, ...extensions].map(({ json }) => json);
    const verdicts = await readVerdicts({ version, path, sha256 }, bootstraps);
    verdictsOfCases = verdicts.slice(0, CASES.length);
    verdictsOfExtensions = verdicts.slice(CASES.length);
    // If Envoy itself is asked, it starts once per case.
  }, 480_000);

  test('the binary agrees with our check of every case, except for the listed ones', () => {
    const found: Record<string, string> = {};
    for (const [index, { name, json }] of CASES.entries()) {
      const isGood = verdictsOfCases[index] === 'good';
      const ours = api.check(BOOTSTRAP, json).errors;
      if (isGood === (ours.length === 0)) continue;
      found[name] = isGood ? 'good' : 'bad';
      expect(DISAGREEMENTS[name], `${name}: ours ${JSON.stringify(ours)}`).toBeDefined();
    }
    const expected = Object.entries(DISAGREEMENTS).filter(
      ([, { lines }]) => lines === undefined || lines.some((line) => version.startsWith(`${line}.`)),
    );
    expect(found).toEqual(Object.fromEntries(expected.map(([name, { envoy: verdict }]) => [name, verdict])));
    const goodCount = verdictsOfCases.filter((verdict) => verdict === 'good').length;
    expect(goodCount).toBeGreaterThan(110);
    expect(CASES.length - goodCount).toBeGreaterThan(160);
  });

  test('an empty extension violates a rule of the descriptors exactly when our check says so', () => {
    // Messages without a registered extension are not a configuration by themselves.
    const registered = extensions
      .map(({ typeName, json }, index) => ({ typeName, json, verdict: verdictsOfExtensions[index] }))
      .filter(({ verdict }) => verdict !== 'unregistered');
    for (const { typeName, json, verdict } of registered) {
      // Other refusals come from code: a module to load, an alternative, a position in the chain.
      if (verdict === 'bad') continue;
      const ours = api.check(BOOTSTRAP, json).errors;
      expect(ours.length > 0, `${typeName}: ours ${JSON.stringify(ours)}`).toBe(verdict === 'rule');
    }
    expect(registered.length).toBeGreaterThan(100);
    expect(registered.filter(({ verdict }) => verdict === 'rule').length).toBeGreaterThan(30);
  });
});
