import { failSetting, type SettingsType, type SettingTrial } from '@flotilla/contract';
import type * as z from 'zod';

/** The steps in order, up to the failed one. Messages never contain a secret. */
type TrialSteps = SettingTrial['steps'];

/** Tries a document with decrypted secrets. It must close what it opened when it settles, and soon after `signal`. */
export type SettingTest<S extends z.ZodObject = z.ZodObject> = (
  value: z.output<S>,
  signal: AbortSignal,
) => Promise<TrialSteps>;

const TRIAL_MS = 20_000;
/** Limit per kind, so that repeated clicks do not open more connections. */
const AT_ONCE = 2;

/** The tests by kind. Features that use a kind register its test. */
export class SettingTrials {
  readonly #tests = new Map<string, SettingTest>();
  readonly #running = new Map<string, number>();

  add<S extends z.ZodObject>(type: SettingsType<S>, test: SettingTest<S>): void {
    this.#tests.set(type.key, (value, signal) => test(value as z.output<S>, signal));
  }

  has(type: SettingsType): boolean {
    return this.#tests.has(type.key);
  }

  /** Throws setting.no_test and setting.busy. If a test throws or times out, its last step has failed. */
  async run(type: SettingsType, value: unknown): Promise<SettingTrial> {
    const test = this.#tests.get(type.key);
    if (!test) throw failSetting('setting.no_test', { key: type.key });
    const running = this.#running.get(type.key) ?? 0;
    if (running >= AT_ONCE) throw failSetting('setting.busy', {});
    this.#running.set(type.key, running + 1);
    const begun = performance.now();
    try {
      const steps = await runWithin(test, value as Record<string, unknown>);
      const ok = steps.length > 0 && steps.every((step) => step.ok);
      return { ok, latency_ms: Math.round(performance.now() - begun), steps };
    } finally {
      this.#running.set(type.key, (this.#running.get(type.key) ?? 1) - 1);
    }
  }
}

async function runWithin(test: SettingTest, value: Record<string, unknown>): Promise<TrialSteps> {
  const signal = AbortSignal.timeout(TRIAL_MS);
  const late = new Promise<TrialSteps>((resolve) => {
    signal.addEventListener('abort', () => resolve([fail(`no answer within ${TRIAL_MS / 1000} s`)]), { once: true });
  });
  const tried = test(value, signal).catch((error: unknown) => [fail(messageOf(error))]);
  return Promise.race([tried, late]);
}

function fail(message: string): TrialSteps[number] {
  return { name: 'test', ok: false, message };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it failed';
}
