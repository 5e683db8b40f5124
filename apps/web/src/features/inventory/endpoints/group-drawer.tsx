import type { InventoryGroup } from '@flotilla/contract';
import { Button, Group, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { DrawerTitle, Empty, type PlainColumn, PlainTable, State, UrlDrawer } from '../../../ui/index.ts';
import classes from '../inventory.module.css';
import { formatLatency, POSTURE_LOOKS } from '../looks.ts';
import { ErrorRate, LastSeen } from '../operation-cells.tsx';
import { OperationLink } from '../operation-name.tsx';
import { Score } from '../risk-cell.tsx';
import { groupId } from './group-columns.tsx';
import { texts } from './texts.ts';

const text = texts.drawer;

interface GroupDrawerProps {
  readonly groups: readonly InventoryGroup[];
  readonly isLoading: boolean;
}

/** The operations of the path that the URL names. */
export function GroupDrawer({ groups, isLoading }: GroupDrawerProps) {
  return (
    <UrlDrawer name="group" title={text.title} size="min(860px, 100vw)">
      {(id) => {
        const group = groups.find((one) => groupId(one) === id);
        if (group) return <Operations group={group} />;
        return isLoading ? null : <Empty title={text.missing}>{text.whyMissing}</Empty>;
      }}
    </UrlDrawer>
  );
}

type Operation = InventoryGroup['operations'][number];

function listColumns({ host, normalized_path }: InventoryGroup): readonly PlainColumn<Operation>[] {
  const { columns } = texts;
  return [
    {
      id: 'method',
      header: columns.method,
      isNarrow: true,
      cell: (row) => (
        <>
          <span className="mono">{row.method}</span> <OperationLink of={{ ...row, host, normalized_path }} />
        </>
      ),
    },
    {
      id: 'calls',
      header: columns.calls,
      align: 'right',
      isNarrow: true,
      cell: ({ seen_count: seen }) => seen.toLocaleString('en'),
    },
    { id: 'errors', header: columns.errors, align: 'right', cell: ({ error_rate: rate }) => <ErrorRate rate={rate} /> },
    { id: 'latency', header: columns.latency, align: 'right', cell: (row) => formatLatency(row.latency_max_ms) },
    {
      id: 'authentication',
      header: columns.authentication,
      cell: ({ auth_posture: posture }) => <State {...POSTURE_LOOKS[posture]} />,
    },
    {
      id: 'threat',
      header: columns.threat,
      isNarrow: true,
      cell: (row) => <Score score={row.active_risk_score} band={row.active_risk_band} />,
    },
    { id: 'last_seen', header: columns.lastSeen, cell: ({ last_seen: at }) => <LastSeen at={at} /> },
  ];
}

function Operations({ group }: { group: InventoryGroup }) {
  const url = useUrlState();
  const project = useProject();
  const can = useCan();
  const showFlat = () =>
    url.set(
      {
        group: undefined,
        layout: undefined,
        sort: undefined,
        host: group.host,
        normalized_path: group.normalized_path,
      },
      'push',
    );
  return (
    <Stack gap="md">
      <DrawerTitle title={`${group.host}${group.normalized_path}`} />
      <PlainTable name={text.operations} rows={group.operations} columns={listColumns(group)} rowId={({ id }) => id} />
      {group.operations_omitted > 0 && <p className={classes.dim}>{text.omitted(group.operations_omitted)}</p>}
      <Group gap="xs">
        <Button variant="default" onClick={showFlat}>
          {text.showFlat}
        </Button>
        {can(routes.policyDraft.suggest) && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/p/$project/traffic/drafts/new"
                params={{ project: project.name }}
                search={{ path_group: `${group.host}${group.normalized_path}` }}
              />
            )}
          >
            {text.draft}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
