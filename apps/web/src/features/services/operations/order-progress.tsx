import { useEffect } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { ServiceLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import { texts } from '../../../texts/index.ts';
import { Notice } from '../../../ui/index.ts';
import { deriveNodeState } from '../nodes/node-state.ts';
import type { CommandResult } from '../types.ts';
import { useServiceDetail } from '../use-service.ts';
import { deriveProgress, isMoving, summarize, type TargetProgress } from './progress.ts';
import { ProgressList } from './progress-list.tsx';

const text = texts.services.operations.orderProgress;

const REFUSED_SHOWN = 5;
const COMMANDS_MAX = 1000;
/** Events tell of ends; a step is only seen by asking. */
const ASK_EVERY_MS = 2000;

export interface OrderProgressProps {
  readonly serviceId: string;
  readonly serviceName: string;
  readonly type: string;
  readonly results: readonly CommandResult[];
  /** Called whenever it changes; `isOver` once nothing moves any more. */
  readonly onProgress?: (progress: readonly TargetProgress[]) => void;
}

/** Follows what an order has set off on the clients of one service, until all have ended. */
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
  const progress = deriveProgress(results, commands.data?.body.items ?? []);
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
      {!isMoving(progress) && <RefusedThere serviceId={serviceId} progress={progress} />}
    </section>
  );
}

/** An order can be carried out while the proxy refuses what it is then sent. */
function RefusedThere({ serviceId, progress }: { serviceId: string; progress: readonly TargetProgress[] }) {
  const ordered = new Set(progress.map(({ clientId }) => clientId));
  const refused = (useServiceDetail(serviceId).data?.body.nodes ?? [])
    .filter(({ client_id }) => ordered.has(client_id))
    .map((node) => ({ name: node.client_name, ...deriveNodeState(node) }))
    .filter(({ word }) => word === 'Refused');
  if (refused.length === 0) return null;
  return (
    <Notice
      tone="bad"
      title={text.refused.title(refused.length === 1 ? text.refused.oneNode : text.refused.nodes(refused.length))}
    >
      <ul style={{ margin: 0, paddingInlineStart: 18 }}>
        {refused.slice(0, REFUSED_SHOWN).map(({ name, why }) => (
          <li key={name}>
            <bdi>{name}</bdi>: {why}
          </li>
        ))}
      </ul>
      <ServiceLink id={serviceId} tab="errors">
        {text.refused.serviceLink}
      </ServiceLink>
    </Notice>
  );
}
