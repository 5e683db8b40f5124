import { readdir, readFile } from 'node:fs/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { ACCESS_LOG_FIELDS, CounterBook, describeBlock, TrialView } from '@flotilla/decision';
import { type BlockVerdict, BODY_VERDICTS } from '@flotilla/engines';
import { extProc } from '@flotilla/proto';
import { describe, expect, it } from 'vitest';
import { answerBlock } from '../exchange/block-answers.ts';
import { ShieldMetrics } from '../metrics/shield-metrics.ts';
import { createTrafficCells } from '../threads/traffic-recorder.ts';
import { USAGE } from './usage.ts';

const GUIDE = await readFile(new URL('../../../../docs/guides/policies.md', import.meta.url), 'utf8');
/** A file name that looks like a rule. */
const SAMPLE_FILE = 'policy.yaml';

describe('the guide', () => {
  it('lists every access log field that replays know', () => {
    for (const name of Object.values(ACCESS_LOG_FIELDS).flat()) {
      // The guide has one spelling of each of these three.
      if (/user-?agent|request[-_]id|request_bytes|bytes_in/.test(name)) continue;
      expect(GUIDE).toContain(`\`${name}\``);
    }
  });

  it('lists every metric of the filter itself', async () => {
    const metrics = new ShieldMetrics({
      threads: 1,
      traffic: createTrafficCells(1),
      counters: new CounterBook(),
      limiters: () => [],
      selfTest: () => ({ state: 'unknown', problems: [] }),
    });
    const names = [...(await metrics.render()).matchAll(/^# TYPE flotilla_shield_(\w+)/gm)].map(([, name]) => name);
    const own = names.filter((name) => !/^(?:process|nodejs)_/.test(name ?? ''));
    expect(own.length).toBeGreaterThan(20);
    for (const name of own) expect(GUIDE).toContain(`\`${name}`);
  });

  it('lists every flag of the commands', () => {
    for (const [flag] of USAGE.matchAll(/--[a-z-]+/g)) expect(GUIDE).toContain(flag);
  });

  it('lists every rule of a problem and of a warning', async () => {
    const sources = new URL('../../../../packages/policy/src/', import.meta.url);
    const files = await readdir(sources, { recursive: true });
    const rules = new Set<string>();
    for (const file of files.filter((name) => name.endsWith('.ts') && !/test/.test(name))) {
      const source = await readFile(new URL(file, sources), 'utf8');
      const found = source.matchAll(
        /'((?:api_key|block_response|body|bundle|defaults|engine|file|graphql|host|jwt|policy|rate_limit|route|schema)\.[a-z_0-9]+)'/g,
      );
      for (const [, rule = ''] of found) if (rule !== SAMPLE_FILE) rules.add(rule);
    }
    expect(rules.size).toBeGreaterThan(70);
    expect([...rules].filter((rule) => !GUIDE.includes(`\`${rule}\``)).toSorted()).toEqual([]);
  });
});

it.each<[string, BlockVerdict]>([
  ['a body', BODY_VERDICTS['body.too_large']],
  ['a flood', { kind: 'block', reason: 'ratelimit.exceeded', severity: 'low', status: 429, retryAfterSeconds: 7 }],
])('an explanation contains the response of the filter: %s', (_, verdict) => {
  const { response } = fromBinary(
    extProc.ProcessingResponseSchema,
    answerBlock(verdict, undefined, new TrialView({ method: 'GET', url: '/' })).payload.subarray(5),
  );
  if (response.case !== 'immediateResponse') throw new Error(String(response.case));
  const { status, headers, body } = response.value;
  expect({
    status: status?.code,
    headers: headers?.setHeaders.map(({ header }) => [header?.key, Buffer.from(header?.rawValue ?? []).toString()]),
    body: Buffer.from(body).toString(),
  }).toEqual(describeBlock(verdict));
});
