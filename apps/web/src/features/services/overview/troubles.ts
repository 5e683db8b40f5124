import { countResources, deriveNodeState, isBehind } from '../nodes/node-state.ts';
import { toKind } from '../resource-kind.ts';
import type { ConfigError, ServiceDetail, ServiceNode } from '../types.ts';
import { texts } from './texts.tsx';

const wording = texts.troubles;

export interface Trouble {
  readonly id: string;
  readonly tone: 'bad' | 'warn';
  readonly title: string;
  /** Message of Envoy, the filter or the agent, if any. */
  readonly detail: string | undefined;
  readonly fix: string | undefined;
  /** null if unknown. */
  readonly since: string | null;
  readonly clients: readonly string[];
  /** Tab with details. */
  readonly tab: 'nodes' | 'errors' | 'traffic';
  /** The object to change. */
  readonly fixAt?: ConfigError['fix_at'];
  readonly resource?: { readonly type: string; readonly name: string };
}

/** Returns the problems of a service, worst first; merges equal ones of many nodes. */
export function deriveTroubles(
  { nodes, errors }: Pick<ServiceDetail, 'nodes' | 'errors'>,
  lastSeenOf: (clientId: string) => string | null,
): Trouble[] {
  const deployed = nodes.filter((node) => node.deployed);
  const nameOf = new Map(nodes.map((node) => [node.client_id, node.client_name]));
  const active = errors.filter(({ status }) => status === 'active');
  const troubles = [
    ...gather(deployed.filter((node) => !isRecorded(node, active)).flatMap((node) => fromNode(node, lastSeenOf))),
    ...gather(active.map((error) => fromError(error, nameOf))),
    ...gather(deployed.flatMap(fromReasons)),
  ];
  const named = new Set(troubles.flatMap(({ resource }) => (resource ? [keyOf(resource)] : [])));
  const unnamed = gather(deployed.flatMap(fromResources)).filter(
    ({ resource, tone }) => tone === 'warn' || !resource || !named.has(keyOf(resource)),
  );
  return [...troubles, ...unnamed].toSorted((a, b) => Number(a.tone === 'warn') - Number(b.tone === 'warn'));
}

/** Whether the problem of a node is also an active configuration error with the same message. */
function isRecorded({ client_id, connected, phase, error, policy_error }: ServiceNode, active: readonly ConfigError[]) {
  if (!connected || phase === 'failed' || error === null || policy_error !== null) return false;
  const words = squeeze(error);
  return active.some((one) => one.client_id === client_id && squeeze(one.message).includes(words));
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function keyOf({ type, name }: { type: string; name: string }): string {
  return `${type} ${name}`;
}

function fromNode(node: ServiceNode, lastSeenOf: (clientId: string) => string | null): Trouble[] {
  const base = { fix: undefined, since: node.since, clients: [node.client_name], tab: 'nodes' } as const;
  const state = deriveNodeState(node);
  if (!node.connected)
    return [
      {
        ...base,
        id: 'unreachable',
        tone: 'warn',
        title: wording.fromNode.unreachable,
        detail: undefined,
        fix: wording.fromNode.fixUnreachable,
        since: node.state_since ?? lastSeenOf(node.client_id),
      },
    ];
  if (node.phase === 'failed')
    return [{ ...base, id: `failed ${node.error}`, tone: 'bad', title: wording.fromNode.failed, detail: state.why }];
  if (node.phase === 'stopped' && node.run_state === 'running')
    return [{ ...base, id: 'stopped', tone: 'bad', title: wording.fromNode.stopped, detail: undefined }];
  const found: Trouble[] = [];
  if (node.policy_error)
    found.push({
      ...base,
      id: `policy ${node.policy_error}`,
      tone: 'bad',
      title: wording.fromNode.policiesRefused,
      detail: node.policy_error,
      since: node.reported_at,
    });
  if (node.error && node.phase !== 'preparing')
    found.push({
      ...base,
      id: `error ${node.error}`,
      tone: 'bad',
      title: wording.fromNode.changeFailed,
      detail: node.error,
      // The time of the first failure is unknown: the phase began earlier.
      since: node.reported_at,
    });
  else if (isBehind(node) && countResources(node).refused === 0)
    found.push({
      ...base,
      id: 'behind',
      tone: 'warn',
      title: wording.fromNode.behind,
      detail: undefined,
      since: node.reported_at,
    });
  return found;
}

/** Reasons from the agent and from Envoy's statistics. The other reasons are also errors or phases. */
function fromReasons({ reasons, client_name, state_since: since }: ServiceNode): Trouble[] {
  return reasons.flatMap(({ code, message, name, endpoints }): Trouble[] => {
    if (code !== 'listener_not_serving' && code !== 'unhealthy_upstream' && code !== 'rising_errors') return [];
    const isListener = code === 'listener_not_serving';
    const missing = endpoints.filter((endpoint) => !message.includes(endpoint));
    return [
      {
        id: `${code} ${name} ${message}`,
        tone: isListener ? 'bad' : 'warn',
        title: message,
        detail: missing.length > 0 ? missing.join(', ') : undefined,
        fix: undefined,
        since,
        clients: [client_name],
        tab: isListener ? 'nodes' : 'traffic',
      },
    ];
  });
}

function fromError(error: ConfigError, nameOf: ReadonlyMap<string, string>): Trouble {
  const { name, type } = error.resource;
  return {
    id: `error ${keyOf(error.resource)} ${error.message}`,
    tone: error.severity === 'warning' ? 'warn' : 'bad',
    title: name && !error.message.includes(name) ? `${toKind(type).label} ${name}: ${error.message}` : error.message,
    detail: error.message.includes(error.raw_message) ? undefined : error.raw_message,
    fix: error.suggested_fix,
    since: error.active_since,
    fixAt: error.fix_at,
    clients: error.client_id === null ? [] : [nameOf.get(error.client_id) ?? error.client_id],
    tab: 'errors',
    resource: { type, name },
  };
}

function fromResources(node: ServiceNode): Trouble[] {
  return (node.rollout?.resources ?? []).flatMap((one): Trouble[] => {
    if (one.state !== 'refused' && one.state !== 'held') return [];
    const isRefused = one.state === 'refused';
    return [
      {
        id: `${one.state} ${one.type} ${one.name} ${one.reason}`,
        tone: isRefused ? 'bad' : 'warn',
        title: `${toKind(one.type).label} ${one.name} is ${isRefused ? 'refused' : wording.fromResources.heldBack}`,
        detail: one.reason ?? undefined,
        fix: undefined,
        since: node.rollout?.at ?? null,
        clients: [node.client_name],
        tab: 'nodes',
        resource: { type: one.type, name: one.name },
      },
    ];
  });
}

function gather(troubles: readonly Trouble[]): Trouble[] {
  const byId = new Map<string, Trouble>();
  for (const trouble of troubles) {
    const before = byId.get(trouble.id);
    byId.set(
      trouble.id,
      before
        ? {
            ...before,
            clients: [...new Set([...before.clients, ...trouble.clients])],
            since: earlier(before.since, trouble.since),
          }
        : trouble,
    );
  }
  return [...byId.values()];
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
