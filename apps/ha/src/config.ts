import { readFile, stat } from 'node:fs/promises';
import type { Key, MemberConfig, Timing } from '@flotilla/ha';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import * as z from 'zod';

/** The port is fixed, so that firewalls can be prepared. */
export const HEARTBEAT_PORT = 8650;
const SECRET_BYTES = 32;
const ADDRESSES_MAX = 256;
const INTERFACE_MAX = 15;

const address = z.ipv4();
const interfaceSchema = z
  .string()
  .max(INTERFACE_MAX)
  .regex(/^[\w.-]+$/, 'must be the name of an interface');
const keySchema = z.strictObject({
  id: z.int().min(1).max(0xff_ff_ff_ff),
  secret: z
    .base64()
    .refine((text) => Buffer.from(text, 'base64').length === SECRET_BYTES, `must be ${SECRET_BYTES} bytes`),
});
const pathSchema = z.strictObject({ network: z.enum(['data', 'mgmt']), local: address, peer: address });

/** The file that the daemon reads. Its writer replaces it as a whole. */
export const configSchema = z
  .strictObject({
    pair_id: z.uuid(),
    config_rev: z.int().min(1),
    slot: z.union([z.literal(0), z.literal(1)]),
    priority: z.int().min(1).max(1000),
    /** False: the other slot is empty. */
    has_peer: z.boolean(),
    preempt: z.boolean(),
    hb: z.strictObject({
      port: z.literal(HEARTBEAT_PORT),
      interval_ms: z.int().min(100).max(1000),
      misses: z.int().min(2).max(10),
    }),
    paths: z.array(pathSchema).min(1).max(2),
    keys: z.array(keySchema).min(1).max(2),
    /** The key that signs. Both are accepted. */
    send_key: z.int(),
    /** Addresses whose answers show that this member is connected, the gateway among them. */
    fence_targets: z.array(address).max(8),
    addresses: z.array(z.strictObject({ address, interface: interfaceSchema })).max(ADDRESSES_MAX),
    /** How long a member that has just started waits for its peer. 30 s if absent. */
    boot_wait_ms: z.int().min(0).max(600_000).optional(),
  })
  .superRefine(({ keys, send_key: sends }, ctx) => {
    if (!keys.some(({ id }) => id === sends))
      ctx.addIssue({ code: 'custom', path: ['send_key'], message: 'must be the id of one of the keys' });
  });
export type HaConfig = z.output<typeof configSchema>;

const BOOT_WAIT_MS = 30_000;
const HANDOVER_MS = 5000;
const PREEMPT_HOLD_MS = 60_000;
const FLAP = { takeovers: 3, windowMs: 300_000, silences: 10 };
const LEASE_MIN_S = 2;
const MS = 1000;

/** The kernel counts leases in seconds. */
export function leaseSecondsOf({ hb }: HaConfig): number {
  return Math.max(LEASE_MIN_S, Math.ceil((2 * hb.interval_ms * hb.misses) / MS));
}

export function toMember(config: HaConfig): MemberConfig {
  const { hb, slot, priority, has_peer, preempt, fence_targets } = config;
  const timing: Timing = {
    intervalMs: hb.interval_ms,
    deadMs: hb.interval_ms * hb.misses,
    leaseMs: leaseSecondsOf(config) * MS,
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

/** Reads the file. It contains secrets, so nobody else may read it. */
export async function readConfig(file: string): Promise<Result<HaConfig, string>> {
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) return err(`${file} contains secrets and others may read it: chmod 600 ${file}`);
    text = await readFile(file, 'utf8');
  } catch (error) {
    return err(`${file}: ${toErrorMessage(error)}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser quotes the file, which contains secrets.
    return err(`${file} is not JSON`);
  }
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  return err(`${file}: ${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
}
