import { POLICY_STATE_FILTERS } from '@flotilla/contract';
import { Button, Skeleton, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { DataTable, Empty, type Filter, Loaded, Page, Section, useTableState } from '../../ui/index.ts';
import { countBlocked, type PolicySummary } from './model.ts';
import { POLICY_COLUMNS, type PolicyRow } from './policy-columns.tsx';
import { texts } from './texts.tsx';
import { toRange } from './traffic/ranges.ts';
import { Totals, TrafficChart } from './traffic/traffic-chart.tsx';
import { useTraffic } from './traffic/use-traffic.ts';

const text = texts.policiesPage;

const CHART_PX = 120;

const FILTERS: readonly Filter[] = [
  {
    name: 'state',
    label: text.state,
    options: POLICY_STATE_FILTERS.map((value) => ({ value, label: text.states[value] })),
  },
];

export function PoliciesPage() {
  const project = useProject();
  const state = useTableState(FILTERS);
  const list = useApiList<PolicySummary>(
    routes.policy.list,
    { query: { project: project.id, with_total: true, ...state.query } },
    { topics: ['policy', 'service'] },
  );
  const traffic = useTraffic(toRange('1h'));
  const counters = traffic.data?.counters.counters;
  const rows = useMemo<readonly PolicyRow[]>(() => {
    const blocked = counters && countBlocked(counters);
    return list.rows.map((row) => ({ ...row, blocked: blocked && (blocked.get(row.name) ?? 0) }));
  }, [list.rows, counters]);
  const create = useCan()(routes.policy.create) && <CreatePolicy />;
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        <>
          <FilterStatus />
          {create}
        </>
      }
      isWide
    >
      <Section title={text.traffic}>
        <Loaded query={traffic} what={text.what} skeleton={<Skeleton height={CHART_PX + 56} />}>
          {({ series, counters: { totals, counters: counted } }) =>
            counted.length === 0 ? (
              <Text c="dimmed">{text.noTraffic}</Text>
            ) : (
              <>
                <Totals totals={totals} />
                <TrafficChart series={series} title={text.chart} height={CHART_PX} />
              </>
            )
          }
        </Loaded>
      </Section>
      <DataTable
        name={text.list}
        list={{ ...list, rows }}
        state={state}
        columns={POLICY_COLUMNS}
        filters={FILTERS}
        rowId={(row) => row.id}
        searches={text.searches}
        empty={
          <Empty title={text.emptyTitle} action={create || undefined}>
            {text.empty}
          </Empty>
        }
      />
    </Page>
  );
}

function CreatePolicy() {
  const project = useProject();
  return (
    <Button
      leftSection={<IconPlus size={14} />}
      renderRoot={(props) => <Link to="/p/$project/policies/new" params={{ project: project.name }} {...props} />}
    >
      {text.create}
    </Button>
  );
}

function FilterStatus() {
  const project = useProject();
  return (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/p/$project/shield/filters" params={{ project: project.name }} {...props} />}
    >
      {text.filters}
    </Button>
  );
}
