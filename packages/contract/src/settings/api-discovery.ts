import * as z from 'zod';
import { defineSettings } from './define.ts';

const networkSchema = z.union([z.cidrv4(), z.cidrv6()], 'a network such as 192.0.2.0/24');

const texts = (max: number, length: number) => z.array(z.string().min(1).max(length)).max(max).default([]);
const pattern = z.string().min(1).max(512).refine(isPattern, 'is not a regular expression');
const windowOf = (enabled: boolean, threshold: number, seconds: number) =>
  z
    .strictObject({
      enabled: z.boolean().default(enabled),
      threshold: z.number().int().min(1).max(1_000_000).default(threshold),
      window_seconds: z.number().int().min(1).max(86_400).default(seconds),
    })
    .prefault({});
const number = (value: number, max: number) => z.number().min(0).max(max).default(value);

const policySchema = z.strictObject({
  store_headers: z.boolean().default(false),
  header_allowlist: z
    .array(z.string().regex(/^[a-z0-9-]{1,64}$/))
    .max(64)
    .default(['content-type', 'user-agent', 'x-request-id']),
  hash_source_ip: z.boolean().default(true),
  hash_user_agent: z.boolean().default(true),
  store_raw_source_ip: z.boolean().default(true),
  store_raw_user_agent: z.boolean().default(true),
  /** Share of requests that are stored in full, 0 to 1. */
  raw_sample_rate: number(0, 1),
  ingest_deny_patterns: z.array(pattern).max(64).default([]),
  exclude: z
    .strictObject({
      methods: texts(16, 16),
      hosts: texts(256, 253),
      listeners: texts(256, 128),
      projects: texts(256, 128),
      source_cidrs: z.array(networkSchema).max(256).default([]),
      user_agents: texts(256, 256),
    })
    .prefault({}),
  trusted_proxy_cidrs: z.array(networkSchema).max(256).default([]),
  path_normalize_patterns: z
    .array(
      z.strictObject({
        regex: pattern,
        placeholder: z.enum(['id', 'uuid', 'objectid', 'ulid', 'token', 'dynamic']),
      }),
    )
    .max(64)
    .default([]),
});

const detectionSchema = z.strictObject({
  detect_pii: z.boolean().default(true),
  extract_consumer_fingerprint: z.boolean().default(true),
  service_account_patterns: z.array(pattern).max(64).default([]),
  bola: windowOf(true, 50, 60),
  brute_force: windowOf(true, 10, 60),
  rate_anomaly: windowOf(false, 1000, 60),
  payment_abuse: windowOf(true, 10, 60),
  replay: windowOf(true, 3, 300),
  path_scan: windowOf(true, 40, 60),
  geo_spread: windowOf(true, 2, 3600),
  ip_rate: windowOf(false, 1000, 60),
  normalize_gap: windowOf(true, 64, 3600),
  response_size: z
    .strictObject({
      multiplier: number(10, 1000),
      min_baseline_bytes: number(1024, 1e9),
      min_event_bytes: number(65_536, 1e9),
      warmup_samples: number(10, 10_000),
      sigma: number(4, 100),
      consecutive_n: number(2, 1000),
    })
    .prefault({}),
  missing_hsts: z.boolean().default(true),
  weak_tls: z.boolean().default(true),
  weak_token_ttl_seconds: number(2_592_000, 1e9),
});

/** How much of the traffic is kept for API discovery, and which traffic is conspicuous. */
export const API_DISCOVERY_SETTINGS = defineSettings({
  key: 'api_discovery',
  title: 'API discovery',
  scope: 'installation',
  area: 'security',
  isUnused: true,
  perProject: true,
  schema: z.strictObject({ policy: policySchema.prefault({}), detection: detectionSchema.prefault({}) }),
});

function isPattern(text: string): boolean {
  try {
    RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
