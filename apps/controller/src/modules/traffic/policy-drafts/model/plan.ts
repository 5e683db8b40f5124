import type {
  InventoryOperationSummary,
  POLICY_DRAFT_FINDING_SKIPS,
  POLICY_DRAFT_SKIPS,
  PolicyDraftBody,
  PolicyDraftLimit,
  PolicyDraftRoute,
} from '@flotilla/contract';
import type { RiskFlag } from '@flotilla/inventory';
import { canonicalHost, findTemplateFault, formatHostPattern, parseHostPattern } from '@flotilla/policy';

export type SkipReason = (typeof POLICY_DRAFT_SKIPS)[number];
export interface Skip {
  readonly operation_id: string;
  readonly reason: SkipReason;
}

export interface FindingSkip {
  readonly finding_id: string;
  readonly reason: (typeof POLICY_DRAFT_FINDING_SKIPS)[number];
}
export type SelectedGroup = NonNullable<PolicyDraftBody['groups']>[number];
export interface SelectedFinding {
  readonly id: string;
  readonly flag: RiskFlag;
}

/** The operations of one host, at all of its ports, and path: one route of a policy. */
export interface PathGroup {
  readonly host: string;
  /** As requests spell it. */
  readonly hosts: readonly string[];
  readonly path: string;
  readonly operations: readonly InventoryOperationSummary[];
  /** The draft is about these alone. Undefined: about everything that is active. */
  readonly findings: readonly SelectedFinding[] | undefined;
}

/** Facts of the event store about a path. */
export interface PathTraffic {
  readonly counts: PolicyDraftRoute['traffic'];
  readonly limit: PolicyDraftLimit | undefined;
}

export type Engines = Record<string, unknown>;
export interface DraftRoute {
  readonly template: string;
  readonly engines: Engines;
  readonly rationale: PolicyDraftRoute;
}
export interface DraftDomain {
  readonly host: string;
  readonly engines: Engines;
  readonly routes: readonly DraftRoute[];
}

export const keyOfPath = (host: string, path: string) => `${host}\n${path}`;

/** Sorts operations by host and path. Those that no policy can name are left out, with the reason. */
export function groupByPath(
  operations: readonly InventoryOperationSummary[],
  findings?: ReadonlyMap<string, readonly SelectedFinding[]>,
): {
  readonly groups: readonly PathGroup[];
  readonly skipped: readonly Skip[];
} {
  const groups = new Map<string, InventoryOperationSummary[]>();
  const skipped: Skip[] = [];
  for (const operation of operations) {
    const reason = whySkipped(operation);
    if (reason !== undefined) {
      skipped.push({ operation_id: operation.id, reason });
      continue;
    }
    // A policy names no port: what a host serves at two ports is one route.
    const key = keyOfPath(toHostEntry(operation.host) ?? '', operation.normalized_path);
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  }
  const sorted = [...groups.values()].sort(([a], [b]) => compare(a, b));
  return {
    groups: sorted.flatMap((members) => {
      const [first] = members;
      if (first === undefined) return [];
      return [
        {
          host: first.host,
          hosts: [...new Set(members.map(({ host }) => host))].sort(),
          path: first.normalized_path,
          operations: members,
          findings: findings && members.flatMap(({ id }) => findings.get(id) ?? []),
        },
      ];
    }),
    skipped,
  };
}

function compare(a: InventoryOperationSummary | undefined, b: InventoryOperationSummary | undefined): number {
  const [x, y] = [a, b].map((one) => keyOfPath(one?.host ?? '', one?.normalized_path ?? ''));
  if (x === y) return 0;
  return (x ?? '') < (y ?? '') ? -1 : 1;
}

function whySkipped({
  confirmed,
  other,
  host,
  normalized_path: path,
  protocols,
}: InventoryOperationSummary): SkipReason | undefined {
  if (other) return 'other';
  if (!confirmed) return 'not_confirmed';
  if (protocols.length > 0 && protocols.every((protocol) => protocol === 'tcp')) return 'protocol';
  if (host !== '' && toHostEntry(host) === undefined) return 'host';
  return isExpressible(path) ? undefined : 'path';
}

/** A host of the inventory as a policy names it, without its port. A client may send `*` or `*.example.com` as a host: these are no patterns here. */
export function toHostEntry(host: string): string | undefined {
  if (host === '') return '*';
  const pattern = parseHostPattern(canonicalHost(host));
  if (typeof pattern === 'string' || pattern.kind !== 'exact') return undefined;
  return formatHostPattern(pattern);
}

/** Braces that are no placeholders and bytes that a terminal or an editor hides cannot be in a draft. */
function isExpressible(path: string): boolean {
  return findTemplateFault(path) === undefined && path.length <= 2048 && !/[\p{Cc}\p{Cf}\u{fffd}]/u.test(path);
}
