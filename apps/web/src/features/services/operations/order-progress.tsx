import { useEffect } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { ServiceLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import { Notice } from '../../../ui/index.ts';
import { deriveNodeState } from '../nodes/node-state.ts';
import type { CommandResult, ServiceNode } from '../types.ts';
import { useServiceDetail } from '../use-service.ts';
import { deriveProgress, isMoving, markErrors, summarize, type TargetProgress } from './progress.ts';
import { ProgressList } from './progress-list.tsx';
import { texts } from './texts.tsx';

const text = texts.orderProgress;

const ERRORS_SHOWN = 5;
const COMMANDS_MAX = 1000;
/** Commands after which the service should run with the newest configuration. */
const RUNNING_TYPES: ReadonlySet<string> = new Set(['DEPLOY']);
/** Polling interval: events report only the end of a command, not its steps. */
const ASK_EVERY_MS = 2000;

export interface OrderProgressProps {
  readonly serviceId: string;
  readonly serviceName: string;
  readonly type: string;
  readonly results: readonly CommandResult[];
  /** Called on every change. `isOver`: nothing will change any more. */
  readonly onProgress?: (progress: readonly TargetProgress[]) => void;
}

/** Follows a command on the clients of one service until all have ended. */
export function OrderProgress({ serviceId, serviceName, type, results, onProgress }: OrderProgressProps) {
  const project = useProject();
  const hasOpen = results.some(({ outcome }) => outcome === 'running' || outcome === 'pending');
  const commands = useApi(
    routes.command.list,
    {
      query: {
        project: project.id,
        service_id: serviceId,
        type: [type],
        limit: Math.min(COMMANDS_MAX, results.length * 2 + 100),
      },
    },
    {
      topics: ['command'],
      enabled: hasOpen,
      refetchEveryMs: (answer) => (isMoving(deriveProgress(results, answer?.items ?? [])) ? ASK_EVERY_MS : false),
    },
  );
  const detail = useServiceDetail(serviceId);
  const withErrors = (detail.data?.body.nodes ?? []).filter(({ state }) => state === 'failed' || state === 'degraded');
  const erring = RUNNING_TYPES.has(type) ? withErrors : [];
  const progress = markErrors(
    deriveProgress(results, commands.data?.body.items ?? []),
    new Map(erring.map((node) => [node.client_id, node.reasons[0]?.message ?? null])),
  );
  const ordered = new Set(progress.map(({ clientId }) => clientId));
  const summary = summarize(progress);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words say when it differs
  useEffect(() => onProgress?.(progress), [summary]);
  return (
    <section aria-label={text.progress.title(serviceName)}>
      <p role="status" aria-live="polite" style={{ margin: '0 0 6px' }}>
        {isMoving(progress) ? text.progress.underWay : 'Result: '}
        {summary}
      </p>
      <ProgressList progress={progress} label={text.progress.clientsOf(serviceName)} />
      {!isMoving(progress) && (
        <ErrorsThere serviceId={serviceId} nodes={erring.filter(({ client_id }) => ordered.has(client_id))} />
      )}
    </section>
  );
}

/** Lists errors on the nodes: a command can succeed while its configuration is refused or cannot be generated. */
function ErrorsThere({ serviceId, nodes }: { serviceId: string; nodes: readonly ServiceNode[] }) {
  if (nodes.length === 0) return null;
  return (
    <Notice tone="bad" title={text.errors.title(nodes.length)}>
      <ul style={{ margin: 0, paddingInlineStart: 18 }}>
        {nodes.slice(0, ERRORS_SHOWN).map((node) => (
          <li key={node.client_id}>
            <bdi>{node.client_name}</bdi>: {node.reasons[0]?.message ?? deriveNodeState(node).why}
          </li>
        ))}
      </ul>
      <ServiceLink id={serviceId} tab="errors">
        {text.errors.serviceLink}
      </ServiceLink>
    </Notice>
  );
}
