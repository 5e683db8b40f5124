import { fleet, TYPE_URL } from '@flotilla/proto';
import type { Complaint } from '../config-errors/index.ts';
import type { StoredReport, StoredResource } from '../services/index.ts';

const TEXT_MAX = 2048;
/** Maximum number of problems of one filter. */
const SHIELD_PROBLEMS_MAX = 10;
/** Maximum number of resources shown per node. */
const RESOURCES_MAX = 5000;
/** Services have fewer. */
const LISTENERS_MAX = 1000;

/** PostgreSQL accepts neither NUL nor lone surrogates, and agents may quote anything. */
export function cleanText(text: string, max = TEXT_MAX): string {
  return text.replaceAll('\u0000', '').slice(0, max).toWellFormed();
}

const PHASES = {
  [fleet.NodePhase.UNSPECIFIED]: null,
  [fleet.NodePhase.PREPARING]: 'preparing',
  [fleet.NodePhase.RUNNING]: 'running',
  [fleet.NodePhase.STOPPED]: 'stopped',
  [fleet.NodePhase.FAILED]: 'failed',
} as const;

export function toPhase(phase: fleet.NodePhase): string | null {
  return PHASES[phase] ?? null;
}

export function toStoredReport(report: fleet.NodeReport): StoredReport {
  const sinceMs = Number(report.sinceMs);
  return {
    since: sinceMs > 0 && sinceMs < 8.64e15 ? new Date(sinceMs).toISOString() : null,
    bootstrap_digest: cleanText(report.bootstrapDigest, 128) || null,
    policy_error: cleanText(report.policyError) || null,
    admin_error: cleanText(report.adminError) || null,
    shield_running: report.shieldRunning,
    restarts: report.restarts,
    envoy_pid: report.envoyPid,
    error: cleanText(report.error) || null,
    self_test: report.shieldHealth ? (SELF_TESTS[report.shieldHealth.selfTest] ?? null) : null,
    shield_problems: listShieldProblems(report),
    listeners: report.listeners.slice(0, LISTENERS_MAX).map(({ name, serving, address, error }) => ({
      name: cleanText(name, 1024),
      serving,
      address: cleanText(address, 256) || null,
      error: cleanText(error) || null,
    })),
  };
}

const SELF_TESTS = {
  [fleet.SelfTest.UNSPECIFIED]: null,
  [fleet.SelfTest.OK]: 'ok',
  [fleet.SelfTest.UNKNOWN]: 'unknown',
  [fleet.SelfTest.FAILING]: 'failing',
} as const;

/** The problems that a filter reports about its environment. */
export function listShieldProblems({ shieldHealth }: fleet.NodeReport): string[] {
  const reported = (shieldHealth?.problems ?? []).slice(0, SHIELD_PROBLEMS_MAX).map((text) => cleanText(text, 500));
  return [...new Set(reported.filter((text) => text !== ''))];
}

const ROLLOUT_STATES = {
  [fleet.RolloutState.UNSPECIFIED]: 'unspecified',
  [fleet.RolloutState.IN_PROGRESS]: 'in_progress',
  [fleet.RolloutState.LIVE]: 'live',
  [fleet.RolloutState.PARTIAL]: 'partial',
} as const;

export function toRolloutState(state: fleet.RolloutState): string {
  return ROLLOUT_STATES[state] ?? 'unspecified';
}

const RESOURCE_STATES = {
  [fleet.ResourceState.UNSPECIFIED]: 'unspecified',
  [fleet.ResourceState.WAITING]: 'waiting',
  [fleet.ResourceState.SENT]: 'sent',
  [fleet.ResourceState.ACKNOWLEDGED]: 'acknowledged',
  [fleet.ResourceState.WARMED]: 'warmed',
  [fleet.ResourceState.REFUSED]: 'refused',
  [fleet.ResourceState.HELD]: 'held',
} as const;

export function toStoredResources(report: fleet.RolloutReport): StoredResource[] {
  return report.resources.slice(0, RESOURCES_MAX).map((resource) => ({
    type: cleanText(resource.typeUrl, 256).replace(/^type\.googleapis\.com\//, ''),
    name: cleanText(resource.name, 1024),
    version: cleanText(resource.version, 128),
    live_version: cleanText(resource.liveVersion, 128) || null,
    state: RESOURCE_STATES[resource.state] ?? 'unspecified',
    reason: cleanText(resource.reason) || null,
  }));
}

/** Resources that Envoy refused. A refusal that the previous report already contained is not a new occurrence. */
export function listRefusals(resources: readonly StoredResource[], before: readonly StoredResource[]): Complaint[] {
  const reported = new Set(before.filter(({ state }) => state === 'refused').map(identify));
  return resources
    .filter(({ state }) => state === 'refused')
    .map((resource) => {
      const raw = resource.reason ?? 'Envoy refused it without a reason';
      const kept = resource.live_version
        ? 'The version before it stays live.'
        : 'There is no version before it: it is not there at all.';
      return {
        code: 'envoy.refused' as const,
        resourceType: resource.type,
        resourceName: resource.name,
        severity: resource.live_version ? ('error' as const) : ('critical' as const),
        message: `Envoy refused ${describeType(resource.type)} "${resource.name}". ${kept} Reason: ${raw}`,
        rawMessage: raw,
        isRepeated: reported.has(identify(resource)),
      };
    });
}

function identify({ type, name, version, reason }: StoredResource): string {
  return JSON.stringify([type, name, version, reason]);
}

const TYPE_NAMES = new Map(
  Object.entries(TYPE_URL).map(([name, url]) => [url.replace('type.googleapis.com/', ''), name]),
);
const WORDS: Readonly<Record<string, string>> = { virtualHost: 'virtual host', route: 'route configuration' };

function describeType(type: string): string {
  const name = TYPE_NAMES.get(type);
  return name ? (WORDS[name] ?? name) : type;
}
