import { GENERAL_SETTINGS, SMTP_SETTINGS } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { SettingTrials } from './trials.ts';

const step = (ok: boolean) => ({ name: 'connect', ok, message: null });

it('a trial succeeds if every step does, and reports the last completed step', async () => {
  const trials = new SettingTrials();
  trials.add(GENERAL_SETTINGS, async ({ name }) => [step(true), step(name === 'good')]);
  expect(await trials.run(GENERAL_SETTINGS, { name: 'good' })).toMatchObject({ ok: true });
  expect(await trials.run(GENERAL_SETTINGS, { name: 'bad' })).toMatchObject({
    ok: false,
    steps: [{ ok: true }, { ok: false }],
  });
});

it('a test that throws has failed, and an unregistered one is not found', async () => {
  const trials = new SettingTrials();
  trials.add(GENERAL_SETTINGS, async () => Promise.reject(new Error('connection refused')));
  const result = await trials.run(GENERAL_SETTINGS, {});
  expect(result).toMatchObject({ ok: false, steps: [{ ok: false, message: 'connection refused' }] });
  await expect(trials.run(SMTP_SETTINGS, {})).rejects.toMatchObject({ code: 'setting.no_test' });
  expect([trials.has(GENERAL_SETTINGS), trials.has(SMTP_SETTINGS)]).toEqual([true, false]);
});

it('a few tests of one kind run at a time, however often somebody clicks', async () => {
  const trials = new SettingTrials();
  const gates: (() => void)[] = [];
  trials.add(GENERAL_SETTINGS, async () => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return [step(true)];
  });
  const running = [trials.run(GENERAL_SETTINGS, {}), trials.run(GENERAL_SETTINGS, {})];
  await expect(trials.run(GENERAL_SETTINGS, {})).rejects.toMatchObject({ code: 'setting.busy' });
  for (const open of gates) open();
  await Promise.all(running);
  const after = trials.run(GENERAL_SETTINGS, {});
  gates.at(-1)?.();
  expect(await after).toMatchObject({ ok: true });
});
