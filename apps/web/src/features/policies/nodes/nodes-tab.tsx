import { Group, Stack } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { routes, useApi, useApiList } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { DataTable, Empty, Notice, State, useTableState } from '../../../ui/index.ts';
import type { Policy, PolicyNode } from '../model.ts';
import { NODE_COLUMNS } from './node-columns.tsx';
import { texts } from './texts.tsx';

const text = texts.nodesTab;

const ASK_EVERY_MS = 5000;
const TOPICS = ['node', 'client', 'service', 'policy'] as const;

/** Lists the nodes with the revision of the policy that each one runs. */
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
    // Viewers and editors get no node events.
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
    <Stack gap={14} miw={0}>
      {refusals.length > 0 && (
        <Notice tone="bad" title={text.refusals(refusals.length)}>
          {refusals[0]?.policy_error}
        </Notice>
      )}
      {counts && counts.nodes > 0 && (
        <Group gap="4px 18px" align="baseline" role="status">
          <State
            word={text.running(counts.current, counts.nodes, summary.data?.body.policy.revision ?? '')}
            tone={counts.current === counts.nodes ? 'good' : 'warn'}
            shape={counts.current === counts.nodes ? 'full' : 'half'}
          />
          {counts.outdated > 0 && <span>{text.outdated(counts.outdated)}</span>}
          {counts.unknown > 0 && <span>{text.unknown(counts.unknown)}</span>}
        </Group>
      )}
      <DataTable
        name={text.list}
        list={list}
        state={state}
        columns={NODE_COLUMNS}
        rowId={(row) => row.node_id}
        empty={<Empty title={text.emptyTitle}>{text.empty}</Empty>}
      />
    </Stack>
  );
}
