import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as afterIo } from 'node:timers/promises';
import { headOf, packPolicies } from '@flotilla/decision';
import { loadPolicyFiles } from '@flotilla/policy';
import { isRunning } from '@flotilla/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PackedBundle } from '../policy-source.ts';
import { FilterProcess } from '../testing/filter-process.ts';
import type { RawTrial } from './explain-messages.ts';
import { type ExplainAnswer, ExplainProcess, type ExplainProcessOptions } from './explain-process.ts';

/** A policy that protects `host`, and `others` that are never requested. */
function documentOf(host: string, others = 0): string {
  const engines = { api_key: { keys: [{ key: 'THE-KEY' }] }, graphql: { max_depth: 5 } };
  const hosts = [host, ...Array.from({ length: others }, (_, n) => `h${n}.other.example.com`)];
  const domains = hosts.map((name) => ({ hosts: [name], policy: { engines } }));
  const spec = { defaults: { inspect_request_body: true, max_request_body_bytes: 2 ** 21 }, domains };
  return JSON.stringify({ apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'shop' }, spec });
}

function bundleOf(host: string, others = 0): PackedBundle {
  const loaded = loadPolicyFiles([{ path: 'p.json', content: documentOf(host, others) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error[0]));
  return { head: headOf(loaded.value), pieces: [...packPolicies(loaded.value.domains)] };
}

const A = 'a.example.com';
const B = 'b.example.com';

const trialOf = (request: object): RawTrial => ({ kind: 'body', bytes: Buffer.from(JSON.stringify(request)) });
const ASK_A = trialOf({ url: `https://${A}/` });
const KEYED = trialOf({ url: `https://${A}/`, headers: [['x-api-key', 'THE-KEY']] });
/** A batch without a key: the verdict is immediate, but the other engine takes many milliseconds. */
const LONG = trialOf({
  url: `https://${A}/graphql`,
  method: 'POST',
  headers: [['content-type', 'application/json']],
  body: `[${'{"query":"{a}"},'.repeat(60_000)}{"query":"{a}"}]`,
});

function verdictOf(answer: ExplainAnswer): string {
  if (answer.kind !== 'explained') return answer.kind;
  const { verdict, decisive } = JSON.parse(answer.json) as { verdict: string; decisive: { reason: string } | null };
  return decisive === null ? verdict : `${verdict} ${decisive.reason}`;
}

let explainer: ExplainProcess | undefined;
afterEach(() => explainer?.close());

function start(options: Partial<ExplainProcessOptions> = {}): (trial: RawTrial) => Promise<string> {
  const bundle = bundleOf(A);
  const started = new ExplainProcess({ bundle: () => bundle, trustedHops: 0, ...options });
  explainer = started;
  return async (trial) => verdictOf(await started.explain(trial));
}

describe('ExplainProcess', () => {
  it('explains by the current bundle, also after it has changed', async () => {
    let bundle = bundleOf(A);
    const ask = start({ bundle: () => bundle });
    expect(await ask(ASK_A)).toBe('blocked apikey.missing');
    expect(await ask(KEYED)).toBe('allowed');
    // More than fits in one piece.
    bundle = bundleOf(B, 700);
    expect(await ask(ASK_A)).toBe('allowed');
    expect(await ask(trialOf({ url: 'https://h699.other.example.com/' }))).toBe('blocked apikey.missing');
    expect(await ask(trialOf({ url: `https://${B}/` }))).toBe('blocked apikey.missing');
  });

  it('aborts a running trial that takes too long, and explains the next one', async () => {
    const limits = { deadlineMs: 1 };
    const bundle = bundleOf(A);
    const hurried = new ExplainProcess({
      bundle: () => bundle,
      trustedHops: 0,
      get deadlineMs() {
        return limits.deadlineMs;
      },
    });
    explainer = hurried;
    const answer = hurried.explain(LONG);
    const pid = await pidOf(hurried);
    expect(await answer).toEqual({ kind: 'too_slow', seconds: 0.001 });
    expect(hurried.pid).toBe(undefined);
    expect(await isRunning(pid)).toBe(false);
    limits.deadlineMs = 60_000;
    expect(verdictOf(await hurried.explain(LONG))).toBe('blocked apikey.missing');
    expect(verdictOf(await hurried.explain(ASK_A))).toBe('blocked apikey.missing');
  });

  it('queues a limited number of trials in order, and refuses others', async () => {
    const ask = start({ trialsMax: 3 });
    const order: number[] = [];
    const answers = [LONG, KEYED, ASK_A, ASK_A, KEYED].map(async (trial, n) => {
      const answer = await ask(trial);
      order.push(n);
      return answer;
    });
    expect(await Promise.all(answers)).toEqual([
      'blocked apikey.missing',
      'allowed',
      'blocked apikey.missing',
      'busy',
      'busy',
    ]);
    expect(order).toEqual([3, 4, 0, 1, 2]);
    expect(await ask(KEYED)).toBe('allowed');
  });

  it('fails when its process breaks, and continues in another one', async () => {
    const good = bundleOf(A);
    let bundle: PackedBundle = { head: good.head, pieces: [Buffer.from('no piece')] };
    const ask = start({ bundle: () => bundle });
    const answers = Promise.allSettled([ask(KEYED), ask(KEYED)]);
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    bundle = good;
    expect(await ask(KEYED)).toBe('allowed');
  });

  it('survives a crash of its process, during a trial and between two', async () => {
    const ask = start();
    expect(await ask(KEYED)).toBe('allowed');
    const crash = () => process.kill(explainer?.pid ?? 0, 'SIGSEGV');
    const answers = Promise.allSettled([ask(LONG), ask(KEYED)]);
    // The trial has been sent by then.
    await afterIo();
    crash();
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    crash();
    await expect.poll(() => explainer?.pid).toBe(undefined);
    expect(await ask(KEYED)).toBe('allowed');
  });

  it('ends its process when it has been idle for a while', async () => {
    const ask = start({ idleMs: 1 });
    expect(explainer?.pid).toBe(undefined);
    const answer = ask(KEYED);
    const pid = explainer && (await pidOf(explainer));
    expect(await answer).toBe('allowed');
    await expect.poll(() => isRunning(pid ?? 0)).toBe(false);
    expect(await ask(KEYED)).toBe('allowed');
  });

  it('can be closed during a trial, and answers none afterwards', async () => {
    const bundle = bundleOf(A);
    let onTurn = () => {};
    const ask = start({
      bundle: () => {
        onTurn();
        return bundle;
      },
    });
    expect(await ask(KEYED)).toBe('allowed');
    let closed: Promise<void> | undefined;
    onTurn = () => {
      closed = explainer?.close();
    };
    const pending = Promise.allSettled([ask(LONG), ask(KEYED)]);
    const [first, second] = await pending;
    await closed;
    expect(first?.status).toBe('rejected');
    expect(second).toEqual({ status: 'fulfilled', value: 'busy' });
    expect(explainer?.pid).toBe(undefined);
    expect(await ask(KEYED)).toBe('busy');
  });

  it.each<[string, RawTrial, string]>([
    ['no JSON', { kind: 'body', bytes: Buffer.from('{') }, 'the body is not JSON'],
    ['no trial', trialOf([]), 'a request is a JSON object'],
    ['an unknown parameter', { kind: 'query', query: 'nonsense=1' }, '"nonsense" is not a parameter of /explain'],
  ])('reports the error of %s', async (_, trial, error) => {
    start();
    expect(await explainer?.explain(trial)).toEqual({ kind: 'refused', error });
  });

  it('leaves no process behind when the filter is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'explain-'));
    const policy = join(folder, 'p.json');
    await writeFile(policy, documentOf(A));
    const args = ['--policy', policy, '--listen', `unix:${join(folder, 'filter.sock')}`];
    const filter = new FilterProcess(args, join(folder, 'admin.sock'));
    try {
      await filter.start();
      expect((await filter.admin(`/explain?url=https://${A}/`)).status).toBe(200);
      const [first = ''] = (await readFile(`/proc/${filter.pid}/task/${filter.pid}/children`, 'utf8')).split(' ');
      const child = Number(first);
      expect(child).toBeGreaterThan(0);
      await filter.end('SIGKILL');
      await expect.poll(() => isRunning(child)).toBe(false);
    } finally {
      await filter.end('SIGKILL');
      await rm(folder, { recursive: true });
    }
  });
});

/** The process that a question has started. */
async function pidOf(explainer: ExplainProcess): Promise<number> {
  return vi.waitFor(() => {
    if (explainer.pid === undefined) throw new Error('there is no process yet');
    return explainer.pid;
  });
}
