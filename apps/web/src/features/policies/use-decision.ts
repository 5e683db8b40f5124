import type { Policy } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { type Decision, judgeDecision } from './decision.ts';

/** Loads the text that decided the request in the URL (`event-drawer`); the current text if the URL has none. */
export function useDecision(policy: Policy): Decision {
  const project = useProject();
  const url = useUrlState();
  const digest = url.get('digest');
  const service = url.get('decided_by');
  const asked = useApi(
    routes.metrics.policyInBundle,
    {
      params: { name: policy.name, digest: digest ?? '' },
      query: { project: project.id, ...(service && { service_id: service }) },
    },
    { topics: ['policy'], enabled: digest !== undefined },
  );
  if (digest === undefined) return { kind: 'now' };
  if (asked.isPending) return { kind: 'asking' };
  return judgeDecision(asked.data?.body, { decidedAt: url.get('decided_at'), changedAt: policy.updated_at });
}
