import { HA_LIMITS } from '@flotilla/proto/commands';
import * as z from 'zod';

export const HEARTBEAT_PORT = HA_LIMITS.port;
const SECRET_BYTES = 32;
const ADDRESSES_MAX = 256;
const INTERFACE_MAX = 15;

const ipv4 = z.ipv4();
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
const pathSchema = z.strictObject({ network: z.enum(['data', 'mgmt']), local: ipv4, peer: ipv4 });

/** The service behind an address, for reports. */
const serviceSchema = z.strictObject({
  id: z.uuid(),
  name: z.string().max(128),
  admin_port: z.int().nullable(),
  unit: z.string().max(256).nullable(),
});

const addressSchema = z.strictObject({
  address: z.union([ipv4, z.ipv6()]),
  interface: interfaceSchema,
  service: serviceSchema.optional(),
});

/** The file that the daemon reads. Its writer replaces it as a whole. */
export const configFileSchema = z
  .strictObject({
    pair_id: z.uuid(),
    config_rev: z.int().min(1),
    slot: z.union([z.literal(0), z.literal(1)]),
    priority: z.int().min(HA_LIMITS.priorityMin).max(HA_LIMITS.priorityMax),
    /** False: the other slot is empty, and there are no paths. */
    has_peer: z.boolean(),
    preempt: z.boolean(),
    hb: z.strictObject({
      port: z.literal(HEARTBEAT_PORT),
      interval_ms: z.int().min(HA_LIMITS.intervalMinMs).max(HA_LIMITS.intervalMaxMs),
      misses: z.int().min(HA_LIMITS.missesMin).max(HA_LIMITS.missesMax),
    }),
    paths: z.array(pathSchema).max(2),
    keys: z.array(keySchema).min(1).max(2),
    /** The key that signs. All are accepted. */
    send_key: z.int(),
    /** Addresses whose answers show that this member is connected, the gateway among them. */
    fence_targets: z.array(ipv4).max(HA_LIMITS.fenceTargetsMax),
    /** Addresses of routers that are informed directly of a take-over. */
    next_hops: z.array(ipv4).max(HA_LIMITS.nextHopsMax).default([]),
    addresses: z.array(addressSchema).max(ADDRESSES_MAX),
    /** How long a member that has just started waits for its peer. 30 s if absent. */
    boot_wait_ms: z.int().min(0).max(600_000).optional(),
  })
  .superRefine(({ keys, send_key: sends, has_peer: hasPeer, paths }, ctx) => {
    if (!keys.some(({ id }) => id === sends))
      ctx.addIssue({ code: 'custom', path: ['send_key'], message: 'must be the id of one of the keys' });
    if (hasPeer && paths.length === 0)
      ctx.addIssue({ code: 'custom', path: ['paths'], message: 'must have a path to the peer' });
  });
export type HaConfig = z.output<typeof configFileSchema>;
