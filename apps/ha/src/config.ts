import { readFile, stat } from 'node:fs/promises';
import { configFileSchema, type HaConfig, type Key, type MemberConfig, type Timing } from '@flotilla/ha';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';

const BOOT_WAIT_MS = 30_000;
const HANDOVER_MS = 5000;
const PREEMPT_HOLD_MS = 60_000;
const FLAP = { takeovers: 3, windowMs: 300_000, silences: 10 };
const LEASE_MIN_S = 2;
const MS = 1000;

/** Decides how fast members notice each other. */
export interface Pace {
  readonly intervalMs: number;
  readonly deadMs: number;
}

export function paceOf({ hb }: HaConfig): Pace {
  return { intervalMs: hb.interval_ms, deadMs: hb.interval_ms * hb.misses };
}

/** The pace that suits a peer with either of two configurations. */
export function slowerPace(a: Pace, b: Pace): Pace {
  return { intervalMs: Math.min(a.intervalMs, b.intervalMs), deadMs: Math.max(a.deadMs, b.deadMs) };
}

/** The kernel counts leases in seconds. */
export function leaseSecondsOf({ deadMs }: Pace): number {
  return Math.max(LEASE_MIN_S, Math.ceil((2 * deadMs) / MS));
}

export function toMember(config: HaConfig, pace = paceOf(config)): MemberConfig {
  const { slot, priority, has_peer, preempt, fence_targets } = config;
  const timing: Timing = {
    ...pace,
    leaseMs: leaseSecondsOf(pace) * MS,
    bootWaitMs: config.boot_wait_ms ?? BOOT_WAIT_MS,
    handoverMs: HANDOVER_MS,
    preemptHoldMs: PREEMPT_HOLD_MS,
    flap: FLAP,
  };
  return { slot, priority, hasPeer: has_peer, isFencing: fence_targets.length > 0, preempts: preempt, timing };
}

export function keysOf({ keys }: HaConfig): Key[] {
  return keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret, 'base64') }));
}

/** Reads the file. It contains secrets, so nobody else may read it. Undefined: it does not exist. */
export async function readConfig(file: string): Promise<Result<HaConfig | undefined, string>> {
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) return err(`${file} contains secrets and others may read it: chmod 600 ${file}`);
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ok(undefined);
    return err(`${file}: ${toErrorMessage(error)}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser quotes the file, which contains secrets.
    return err(`${file} is not JSON`);
  }
  const parsed = configFileSchema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  return err(`${file}: ${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
}
