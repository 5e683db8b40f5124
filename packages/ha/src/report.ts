import * as z from 'zod';

const time = z.iso.datetime();
const CHANGES_MAX = 200;
const TERMS_MAX = 200;
const ALARMS_MAX = 100;
const VIPS_MAX = 256;
const text = z.string().max(1024);

const roleSchema = z.enum(['init', 'active', 'standby', 'demoting', 'maintenance', 'fenced', 'unpaired']);

const pathSchema = z.object({
  network: z.enum(['data', 'mgmt']),
  local: text,
  peer: text,
  up: z.boolean(),
  last_rx_ms: z.number().nullable(),
  loss_pct: z.number(),
  rtt_ms: z.number().nullable(),
});

const vipSchema = z.object({
  vip: text,
  interface: text,
  service_id: z.uuid().nullable(),
  service: text.nullable(),
  admin_port: z.int().nullable(),
  unit: text.nullable(),
  /** The service is on this host. */
  present: z.boolean(),
  healthy: z.boolean(),
  held: z.boolean(),
  ready: z.boolean(),
  /** conflict: the peer has it, too, or a third host answers for it. */
  holder: z.enum(['self', 'peer', 'none', 'conflict']),
});

const alarmSchema = z.object({
  code: z.string().max(64),
  level: z.enum(['info', 'warn', 'error']),
  message: text,
});
export type Alarm = z.infer<typeof alarmSchema>;

/** A change of the role, with what the member knew. Times are those of the member's wall clock. */
const changeSchema = z.object({
  at: time,
  from: roleSchema,
  role: roleSchema,
  epoch: z.int().min(0),
  reason: z.string().max(64),
  peer_role: roleSchema.nullable(),
  peer_epoch: z.int().min(0).nullable(),
  gateway_reachable: z.boolean(),
  /** How long the peer had been silent; null: it was never heard. */
  silent_ms: z.number().nullable(),
});
export type RoleChange = z.infer<typeof changeSchema>;

/** A time in which the member had the addresses. */
const termSchema = z.object({
  epoch: z.int().min(0),
  /** When the addresses were there. */
  raised_at: time,
  /** When they were gone at the latest. Null: they still are, or the host failed as a whole and nobody knows. */
  released_at: time.nullable(),
});
export type Term = z.infer<typeof termSchema>;

/** The answer of the daemon to `GET /state`, which the agent sends to the controller. */
export const reportSchema = z.object({
  role: roleSchema,
  epoch: z.int().min(0),
  since: time.nullable(),
  reason: z.string().max(64),
  /** The agent replaces it by what it sees: absent, stale, misconfigured. */
  daemon: z.enum(['running', 'absent', 'stale', 'misconfigured']),
  peer_role: roleSchema.nullable(),
  peer_ok: z.boolean(),
  paths: z.array(pathSchema).max(2),
  peer_dataplane: z.enum(['up', 'down', 'unknown']),
  gateway_reachable: z.boolean(),
  fencing_enabled: z.boolean(),
  /** 0: no configuration. */
  config_rev_applied: z.int().min(0),
  maintenance: z.boolean(),
  vips: z.array(vipSchema).max(VIPS_MAX),
  daemon_version: z.string().max(64),
  /** The peer's clock minus the one of this member. */
  clock_skew_ms: z.number(),
  alarms: z.array(alarmSchema).max(ALARMS_MAX),
  /** Null: unpaired. */
  pair_id: z.uuid().nullable(),
  peer_config_rev: z.int().nullable(),
  /** Datagrams that were not accepted, by reason. */
  rejected: z.record(z.string(), z.number()),
  /** Newest last. */
  changes: z.array(changeSchema).max(CHANGES_MAX),
  /** Newest last. */
  terms: z.array(termSchema).max(TERMS_MAX),
  /** The longest time for which both members may have the addresses. */
  bound_ms: z.number(),
  /** How long the kernel keeps an address that is not renewed. */
  lease_ms: z.number(),
});
export type MemberReport = z.infer<typeof reportSchema>;

/** The report of a member without a pair, with these differences. */
export function createEmptyReport(more: Partial<MemberReport>): MemberReport {
  return {
    role: 'unpaired',
    epoch: 0,
    since: null,
    reason: '',
    daemon: 'absent',
    peer_role: null,
    peer_ok: false,
    paths: [],
    peer_dataplane: 'unknown',
    gateway_reachable: false,
    fencing_enabled: false,
    config_rev_applied: 0,
    maintenance: false,
    vips: [],
    daemon_version: '',
    clock_skew_ms: 0,
    alarms: [],
    pair_id: null,
    peer_config_rev: null,
    rejected: {},
    changes: [],
    terms: [],
    bound_ms: 0,
    lease_ms: 0,
    ...more,
  };
}
