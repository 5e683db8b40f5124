import { compileRules, compileSearch } from '@flotilla/inventory/patterns';
import * as z from 'zod';
import { defineSettings } from './define.ts';

const networkSchema = z.union([z.cidrv4(), z.cidrv6()], 'a network such as 192.0.2.0/24');

const texts = (max: number, length: number) => z.array(z.string().min(1).max(length)).max(max).default([]);
const networks = (max: number) => z.array(networkSchema).max(max).default([]);
/** Numbers of autonomous systems, such as `AS64500` or `64500`. */
const systems = (max: number) =>
  z
    .array(z.string().regex(/^(?:AS)?[1-9]\d{0,9}$/i, 'the number of an autonomous system, such as AS64500'))
    .max(max)
    .default([]);
const number = (value: number, max: number) => z.number().min(0).max(max).default(value);
const count = (value: number, max: number) => z.number().int().min(1).max(max).default(value);
const share = (value: number) => z.number().min(0).max(1).default(value);

const pattern = z
  .string()
  .min(1)
  .max(256)
  .superRefine((text, ctx) => {
    const compiled = compileSearch(text);
    if (typeof compiled === 'string') ctx.addIssue({ code: 'custom', message: `the pattern ${compiled}` });
  });

/** Raw values have no place in the event store: a setting that asks for them is refused, instead of being ignored. */
const notStored = z
  .boolean()
  .refine((value) => !value, 'must be false: this version stores hashes only')
  .default(false);

function windowOf(enabled: boolean, threshold: number, seconds: number) {
  return {
    enabled: z.boolean().default(enabled),
    threshold: count(threshold, 1_000_000),
    window_seconds: count(seconds, 86_400),
  };
}
/** The values of such a window are remembered one by one. */
function setOf(enabled: boolean, threshold: number, seconds: number) {
  return { ...windowOf(enabled, threshold, seconds), threshold: count(threshold, 128) };
}

const rulesSchema = z
  .array(
    z.strictObject({
      regex: z.string().min(1).max(256),
      placeholder: z.enum(['id', 'uuid', 'objectid', 'ulid', 'token', 'dynamic']),
    }),
  )
  .max(64)
  .superRefine((rules, ctx) => {
    for (const { index, message } of compileRules(rules)) {
      ctx.addIssue({ code: 'custom', path: [index, 'regex'], message });
    }
  })
  .default([]);

const policySchema = z.strictObject({
  store_headers: notStored,
  store_raw_source_ip: notStored,
  store_raw_user_agent: notStored,
  /** False: not even the keyed hash is stored. */
  hash_source_ip: z.boolean().default(true),
  hash_user_agent: z.boolean().default(true),
  /** The key of all hashes is replaced after so many days; events before and after that are not joined. */
  hash_key_days: count(90, 3650),
  /** 0 and 1: every event is stored. N from 2: one of N harmless events. Less than 1: this share of them. Counts of operations stay exact. */
  raw_sample_rate: number(0, 1000),
  /** Requests whose path contains a match are dropped, if they only read. */
  ingest_deny_patterns: z.array(pattern).max(64).default([]),
  exclude: z
    .strictObject({
      methods: texts(16, 16),
      /** Names without a port, or `*.example.com`. */
      hosts: texts(256, 253),
      listeners: texts(256, 128),
      /** Ids. */
      projects: texts(256, 128),
      source_cidrs: networks(256),
      /** Parts of user agents, with the case of their letters. */
      user_agents: texts(256, 256),
    })
    .prefault({}),
  /** Detectors do not count by the address of these. */
  trusted_proxy_cidrs: networks(256),
  /** Peers whose claim that a client used HTTPS is believed. */
  trusted_tls_proxy_cidrs: networks(64),
  path_normalize_patterns: rulesSchema,
  /** Endings of paths; none switches GraphQL off. */
  graphql_paths: z.array(z.string().min(1).max(128)).max(32).default(['/graphql']),
  /** Further names of query parameters that carry credentials. */
  credential_param_names: texts(64, 64),
  /** Further networks of hosting companies, and those whose users change continents for other reasons. */
  hosting_asns: systems(1024),
  trusted_egress_asns: systems(1024),
  pii_detectors: z
    .strictObject({
      email: z.boolean().default(true),
      phone: z.boolean().default(true),
      ssn: z.boolean().default(true),
      credit_card: z.boolean().default(true),
      iban: z.boolean().default(true),
    })
    .prefault({}),
});

const detectionSchema = z.strictObject({
  detect_pii: z.boolean().default(true),
  extract_consumer_fingerprint: z.boolean().default(true),
  bola: z
    .strictObject({
      ...setOf(true, 50, 60),
      min_forbidden: count(10, 128),
      min_forbidden_ratio: share(0.25),
    })
    .prefault({}),
  brute_force: z
    .strictObject({
      ...windowOf(true, 10, 60),
      threshold_ip: count(20, 1_000_000),
      min_failure_ratio: share(0.5),
    })
    .prefault({}),
  rate_anomaly: z.strictObject(windowOf(false, 1000, 60)).prefault({}),
  payment_abuse: z.strictObject({ ...windowOf(true, 10, 60), min_failure_ratio: share(0.5) }).prefault({}),
  replay: z.strictObject(windowOf(true, 3, 300)).prefault({}),
  path_scan: z.strictObject(setOf(true, 40, 60)).prefault({}),
  geo_spread: z
    .strictObject({
      enabled: z.boolean().default(true),
      threshold: z.number().int().min(2).max(7).default(2),
      window_seconds: count(3600, 86_400),
      min_switches: z.number().int().min(0).max(31).default(2),
      escalate_hosting_asn: z.boolean().default(true),
      skip_mtls: z.boolean().default(true),
    })
    .prefault({}),
  ip_rate: z.strictObject(windowOf(false, 1000, 60)).prefault({}),
  response_size: z
    .strictObject({
      multiplier: number(10, 1000),
      min_baseline_bytes: number(1024, 1e9),
      min_event_bytes: number(65_536, 1e9),
      warmup_samples: number(10, 10_000),
      sigma: number(4, 100),
      consecutive_n: count(2, 1000),
    })
    .prefault({}),
  behavior: z
    .strictObject({
      warmup_samples: count(50, 10_000),
      startup_suppress_seconds: number(600, 86_400),
      latency: z
        .strictObject({ sigma: number(5, 100), min_ms: number(200, 1e6), consecutive_n: count(3, 1000) })
        .prefault({}),
      error_rate: z
        .strictObject({
          fast_alpha: share(0.3),
          slow_alpha: share(0.02),
          multiplier: number(3, 1000),
          min_rate: share(0.25),
          consecutive_n: count(2, 1000),
        })
        .prefault({}),
    })
    .prefault({}),
  missing_hsts: z.boolean().default(true),
  weak_tls: z.boolean().default(true),
  /** 0 switches it off. */
  weak_token_ttl_seconds: number(2_592_000, 1e9),
});

const storeSchema = z.strictObject({
  /** Events are deleted after so many days. Read from the installation's document, because all projects share one store. */
  event_days: count(7, 365),
  /** The share of its disk that the embedded store may take, in percent. The oldest events are deleted beyond it. */
  max_disk_percent: count(20, 90),
});

/** How much of the traffic is kept for API discovery, and which traffic is conspicuous. */
export const API_DISCOVERY_SETTINGS = defineSettings({
  key: 'api_discovery',
  title: 'API discovery',
  scope: 'installation',
  area: 'security',
  perProject: true,
  schema: z.strictObject({
    policy: policySchema.prefault({}),
    detection: detectionSchema.prefault({}),
    store: storeSchema.prefault({}),
  }),
});

export type ApiDiscoverySettings = z.output<typeof API_DISCOVERY_SETTINGS.schema>;
