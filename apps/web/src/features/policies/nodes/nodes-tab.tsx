import { useEffect, useMemo } from 'react';
import { routes, useApi, useApiList } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { DataTable, Empty, Notice, State, useTableState } from '../../../ui/index.ts';
import type { Policy, PolicyNode } from '../model.ts';
import classes from '../policies.module.css';
import { NODE_COLUMNS } from './node-columns.tsx';

const ASK_EVERY_MS = 5000;
const TOPICS = ['node', 'client', 'service', 'policy'] as const;

/** Which nodes run which text of the policy. */
export function NodesTab({ policy }: { policy: Policy }) {
  const project = useProject();
  const input = useMemo(
    () => ({ params: { name: policy.name }, query: { project: project.id } }),
    [policy.name, project.id],
  );
  const state = useTableState();
  const list = useApiList<PolicyNode>(routes.metrics.policyNodes, input, { topics: TOPICS });
  const summary = useApi(
    routes.metrics.policyNodes,
    { ...input, query: { ...input.query, limit: '1' } },
    // Viewers and editors hear of no node.
    { topics: TOPICS, refetchEveryMs: () => ASK_EVERY_MS },
  );
  const { dataUpdatedAt } = summary;
  const { refetch } = list.query;
  useEffect(() => {
    if (dataUpdatedAt > 0) void refetch({ cancelRefetch: false });
  }, [dataUpdatedAt, refetch]);
  const counts = summary.data?.body.summary;
  const refusals = list.rows.filter(({ policy_error: error, current }) => error && current !== true);
  return (
    <div className={classes.stack}>
      {refusals.length > 0 && (
        <Notice
          tone="bad"
          title={`${refusals.length === 1 ? 'One node has' : `${refusals.length} nodes have`} refused the newest text and ${refusals.length === 1 ? 'runs' : 'run'} what ran before`}
        >
          {refusals[0]?.policy_error}
        </Notice>
      )}
      {counts && counts.nodes > 0 && (
        <div className={classes.counts} role="status">
          <State
            word={`${counts.current} of ${counts.nodes} ${counts.nodes === 1 ? 'node runs' : 'nodes run'} revision ${summary.data?.body.policy.revision}`}
            tone={counts.current === counts.nodes ? 'good' : 'warn'}
            shape={counts.current === counts.nodes ? 'full' : 'half'}
          />
          {counts.outdated > 0 && <span>{counts.outdated} run another text</span>}
          {counts.unknown > 0 && <span>{counts.unknown} not known</span>}
        </div>
      )}
      <DataTable
        name="nodes of the policy"
        list={list}
        state={state}
        columns={NODE_COLUMNS}
        rowId={(row) => row.node_id}
        empty={
          <Empty title="No proxy runs it">
            A node appears here once a service that names this policy is deployed to a client.
          </Empty>
        }
      />
    </div>
  );
}
