import {
  HEALTH_SEVERITIES,
  type HealthSeverity,
  SUPPORT_BUNDLE_ID,
  SUPPORT_BUNDLE_LIMITS,
  SUPPORT_BUNDLE_STATES,
  type SupportBundleState,
} from '@flotilla/proto/commands';

/*
 * Readers of the answers about appliances. The answer comes from a host that may be compromised or run another agent: what has another
 * shape is left out.
 */

/** A support bundle. Times are RFC 3339. */
export interface SupportBundle {
  readonly id: string;
  readonly state: SupportBundleState;
  readonly createdAt: string;
  readonly expiresAt: string | undefined;
  /** The size of the file, if the bundle is READY. */
  readonly bytes: number | undefined;
  /** In hexadecimal digits, if the bundle is READY. */
  readonly sha256: string | undefined;
  /** Why it is FAILED or EXPIRED. */
  readonly reason: string | undefined;
  /** Undefined unless the bundle is RUNNING. */
  readonly progress: { readonly step: string; readonly done: number; readonly total: number } | undefined;
}

export interface BundleChunk {
  readonly bundle: SupportBundle;
  /** In base64. */
  readonly data: string;
  readonly offset: number;
  readonly isLast: boolean;
}

export interface ApplianceStatus {
  readonly bootSlots:
    | {
        readonly from: string;
        readonly slots: ReadonlyArray<{
          readonly slot: string;
          readonly name: string;
          readonly version: string;
          readonly booted: boolean;
          readonly next: boolean;
          readonly healthy: boolean | undefined;
        }>;
      }
    | undefined;
  readonly upgrade: { readonly rebootRequired: boolean; readonly reasons: readonly string[] } | undefined;
  /** The worst is first. */
  readonly health: ReadonlyArray<{
    readonly area: string;
    readonly severity: HealthSeverity;
    readonly message: string;
  }>;
  readonly firewall:
    | {
        readonly rules: number;
        readonly chains: ReadonlyArray<{
          readonly name: string;
          readonly hook: string;
          readonly policy: string;
          readonly rules: number;
        }>;
      }
    | undefined;
  readonly compliance: ReadonlyArray<{
    readonly check: string;
    readonly ok: boolean;
    readonly value: string;
    readonly source: string;
  }>;
  readonly network: { readonly isUnconfirmed: boolean; readonly revertInS: number | undefined } | undefined;
  readonly components: ReadonlyArray<{ readonly name: string; readonly version: string; readonly source: string }>;
  /** Facts with their names, for people. */
  readonly info: ReadonlyArray<readonly [name: string, value: string]>;
  readonly unavailable: ReadonlyArray<{ readonly block: string; readonly reason: string }>;
}

const LISTED_MAX = 500;
const TEXT_MAX = 4096;

/** The bundles of SUB_BUNDLE_LIST and SUB_STATUS. Undefined: the answer has another form. */
export function readSupportBundles(result: unknown): readonly SupportBundle[] | undefined {
  const { artifacts, status } = asRecord(result);
  const listed = artifacts ?? asRecord(status).artifacts;
  return Array.isArray(listed) ? listOf(listed, readBundle) : undefined;
}

/** The bundle of SUB_BUNDLE_CREATE. Undefined: the answer has another form. */
export function readSupportBundle(result: unknown): SupportBundle | undefined {
  return readBundle(asRecord(result).artifact);
}

/** A chunk of SUB_BUNDLE_READ. Undefined: the answer has another form. */
export function readBundleChunk(result: unknown): BundleChunk | undefined {
  const { artifact, data, offset, eof } = asRecord(result);
  const bundle = readBundle(artifact);
  if (!bundle || typeof data !== 'string' || !isSize(offset) || typeof eof !== 'boolean') return undefined;
  if (data.length > Math.ceil(SUPPORT_BUNDLE_LIMITS.chunkMax / 3) * 4 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
    return undefined;
  return { bundle, data, offset, isLast: eof };
}

/** The status of a host. Undefined: the answer has another form. */
export function readApplianceStatus(result: unknown): ApplianceStatus | undefined {
  const { status } = asRecord(result);
  if (typeof status !== 'object' || status === null) return undefined;
  const blocks = asRecord(status);
  return {
    bootSlots: readSlots(blocks.boot_slots),
    upgrade: readUpgrade(blocks.upgrade),
    health: listOf(blocks.health, readHealthItem),
    firewall: readFirewall(blocks.firewall),
    compliance: listOf(blocks.compliance, (item) => {
      const { check, ok, value, source } = asRecord(item);
      return { check: textOf(check), ok: ok === true, value: textOf(value), source: textOf(source) };
    }),
    network: readNetwork(blocks.network),
    components: listOf(blocks.components, (item) => {
      const { name, version, source } = asRecord(item);
      return { name: textOf(name), version: textOf(version), source: textOf(source) };
    }),
    info: Object.entries(asRecord(blocks.info)).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, textOf(String(value))] as const] : [],
    ),
    unavailable: listOf(blocks.unavailable, (item) => {
      const { block, reason } = asRecord(item);
      return { block: textOf(block), reason: textOf(reason) };
    }),
  };
}

function readBundle(value: unknown): SupportBundle | undefined {
  const { artifact_id: id, state, created_at: created, expires_at: expires, ...rest } = asRecord(value);
  const known = SUPPORT_BUNDLE_STATES.find((one) => one === state);
  if (typeof id !== 'string' || !SUPPORT_BUNDLE_ID.test(id) || !known || typeof created !== 'string') return undefined;
  const { size_bytes: bytes, sha256, reason } = rest;
  return {
    id,
    state: known,
    createdAt: created,
    expiresAt: typeof expires === 'string' ? expires : undefined,
    bytes: isSize(bytes) ? bytes : undefined,
    sha256: typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : undefined,
    reason: typeof reason === 'string' ? textOf(reason) : undefined,
    progress: readProgress(rest.progress),
  };
}

function readProgress(value: unknown): SupportBundle['progress'] {
  const { step, done, total } = asRecord(value);
  return typeof step === 'string' && isSize(done) && isSize(total) ? { step: textOf(step), done, total } : undefined;
}

function readSlots(value: unknown): ApplianceStatus['bootSlots'] {
  const { from, slots } = asRecord(value);
  if (!Array.isArray(slots)) return undefined;
  return {
    from: textOf(from),
    slots: listOf(slots, (item) => {
      const { slot, name, version, booted, next, healthy } = asRecord(item);
      return {
        slot: textOf(slot),
        name: textOf(name),
        version: textOf(version),
        booted: booted === true,
        next: next === true,
        healthy: typeof healthy === 'boolean' ? healthy : undefined,
      };
    }),
  };
}

function readUpgrade(value: unknown): ApplianceStatus['upgrade'] {
  const { reboot_required: required, reasons } = asRecord(value);
  return typeof required === 'boolean' ? { rebootRequired: required, reasons: listOf(reasons, textOf) } : undefined;
}

function readHealthItem(value: unknown): ApplianceStatus['health'][number] | undefined {
  const { area, severity, message } = asRecord(value);
  const known = HEALTH_SEVERITIES.find((one) => one === severity);
  return known && { area: textOf(area), severity: known, message: textOf(message) };
}

function readFirewall(value: unknown): ApplianceStatus['firewall'] {
  const { rules, chains } = asRecord(value);
  if (!isSize(rules)) return undefined;
  return {
    rules,
    chains: listOf(chains, (item) => {
      const { family, table, name, hook, policy, rules: own } = asRecord(item);
      const path = [family, table, name].map(textOf).join(' ');
      return { name: path, hook: textOf(hook), policy: textOf(policy), rules: isSize(own) ? own : 0 };
    }),
  };
}

function readNetwork(value: unknown): ApplianceStatus['network'] {
  const { change_unconfirmed: is, revert_in_seconds: left } = asRecord(value);
  return typeof is === 'boolean' ? { isUnconfirmed: is, revertInS: isSize(left) ? left : undefined } : undefined;
}

function listOf<T>(value: unknown, read: (item: unknown) => T | undefined): T[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, LISTED_MAX).flatMap((item) => read(item) ?? []);
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, TEXT_MAX) : '';
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
