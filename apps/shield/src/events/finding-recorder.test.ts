import { CounterBook, type Finding, TrialView, type UncountedFinding } from '@flotilla/decision';
import { FakeClock } from '@flotilla/kit';
import { expect, it } from 'vitest';
import { FINDINGS_PER_SECOND, FindingRecorder } from './finding-recorder.ts';

const POLICY: Finding['policy'] = {
  name: 'p',
  digest: 'd',
  pathPrefix: undefined,
  mode: 'block',
  failMode: 'fail_close',
  engines: [],
  withheld: undefined,
  bodyMaxBytes: 0,
  blockResponse: undefined,
  budgetMs: 50,
  counts: new CounterBook().countsOf('p'),
};
const FINDING: Finding = {
  policy: POLICY,
  engine: 'rate_limit',
  verdict: { kind: 'block', reason: 'ratelimit.exceeded', severity: 'low', status: 429 },
  outcome: 'blocked',
};
const MISSING: Finding = { ...FINDING, verdict: { ...FINDING.verdict, reason: 'apikey.missing', status: 403 } };

function start() {
  const clock = new FakeClock();
  const added: UncountedFinding[] = [];
  let dropped = 0;
  const sink = {
    add: (finding: UncountedFinding) => added.push(finding),
    drop: (count: number) => (dropped += count),
  };
  const recorder = new FindingRecorder({ sink, node: 'edge-1', clock });
  const read: string[] = [];
  const plain = new TrialView({ method: 'GET', url: '/x', host: 'a.example' });
  const request = new Proxy(plain, {
    get(view, name) {
      read.push(String(name));
      const value: unknown = Reflect.get(view, name, view);
      return typeof value === 'function' ? value.bind(view) : value;
    },
  });
  return { clock, added, read, recorder, request, dropped: () => dropped };
}

it('above the rate, the recorder creates no event and reads nothing of the request', () => {
  const { recorder, request, added, read, dropped } = start();
  for (let i = 0; i < FINDINGS_PER_SECOND; i++) recorder.onFinding(FINDING, request);
  expect(added).toHaveLength(FINDINGS_PER_SECOND);
  read.length = 0;
  for (let i = 0; i < 10_000; i++) recorder.onFinding(FINDING, request);
  expect([added.length, read]).toEqual([FINDINGS_PER_SECOND, []]);
  recorder.flush();
  expect(dropped()).toBe(10_000);
});

it('the recorder publishes another reason during a flood, preceded by the number of dropped findings', () => {
  const { recorder, request, added, dropped } = start();
  for (let i = 0; i < 500; i++) recorder.onFinding(FINDING, request);
  recorder.onFinding(MISSING, request);
  expect(added.at(-1)).toMatchObject({ reason: 'apikey.missing', node: 'edge-1' });
  expect(dropped()).toBe(500 - FINDINGS_PER_SECOND);
});

it('the recorder reports drops once a second during an endless flood', () => {
  const { recorder, request, clock, dropped } = start();
  for (let i = 0; i < FINDINGS_PER_SECOND + 50; i++) recorder.onFinding(FINDING, request);
  expect(dropped()).toBe(1);
  clock.advance(1000);
  recorder.onFinding(FINDING, request);
  expect(dropped()).toBe(50);
});
