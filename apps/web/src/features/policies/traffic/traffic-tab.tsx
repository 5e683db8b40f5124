import { Group, SegmentedControl, Skeleton, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, formatExact, Loaded, Problem, Section, Time } from '../../../ui/index.ts';
import { reasonWords } from '../../shield-events/index.ts';
import type { Policy } from '../model.ts';
import { byReason, type ReasonRow } from './counts.ts';
import { stepWords, TRAFFIC_RANGES, toRange } from './ranges.ts';
import { texts } from './texts.tsx';
import { formatCount, Totals, TrafficChart, Unplaced } from './traffic-chart.tsx';
import { useTraffic } from './use-traffic.ts';

const text = texts.trafficTab;

export function TrafficTab({ policy }: { policy: Policy }) {
  const url = useUrlState();
  const range = toRange(url.get('range'));
  const query = useTraffic(range, policy.name);
  return (
    <Stack gap={14} miw={0}>
      <Group justify="space-between" gap="8px 16px">
        <SegmentedControl
          size="xs"
          aria-label={text.tab.range}
          data={TRAFFIC_RANGES.map(({ id, label }) => ({ value: id, label }))}
          value={range.id}
          onChange={(id) => url.set({ range: id === '1h' ? undefined : id }, 'push')}
        />
        <Text component="span" c="dimmed">
          {query.data && <>{text.tab.lastCount(<Time at={query.data.counters.updated_at} />)}</>}
        </Text>
      </Group>
      {query.isError && query.data && (
        <Problem
          error={query.error}
          what={text.tab.refreshFailed}
          still={text.tab.asOf(formatExact(new Date(query.dataUpdatedAt).toISOString()))}
          onRetry={() => void query.refetch()}
        />
      )}
      <Loaded query={query} what={text.tab.what} skeleton={<Skeleton height={280} />}>
        {({ series, counters }) => {
          const rows = byReason(counters.counters);
          return counters.counters.length === 0 ? (
            <Empty title={text.tab.emptyTitle(range.words)}>{text.tab.empty}</Empty>
          ) : (
            <>
              <Totals totals={counters.totals} />
              <TrafficChart series={series} title={text.tab.decided} />
              <Unplaced unplaced={series.unplaced} />
              <Text c="dimmed">{text.tab.howCounted(stepWords(series.step_s))}</Text>
              <Section
                title={text.tab.objections}
                actions={rows.length > 0 && <EventsLink policy={policy.name}>{text.tab.eventsLink}</EventsLink>}
              >
                <Reasons rows={rows} policy={policy.name} />
              </Section>
            </>
          );
        }}
      </Loaded>
    </Stack>
  );
}

function Reasons({ rows, policy }: { rows: readonly ReasonRow[]; policy: string }) {
  if (rows.length === 0) return <Text c="dimmed">{text.reasons.none}</Text>;
  return (
    <section style={{ overflowX: 'auto' }} tabIndex={0} aria-label={text.reasons.table}>
      <Table fz="md" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.reasons.engine}</Table.Th>
            <Table.Th>{text.reasons.reason}</Table.Th>
            <Table.Th ta="right">{text.reasons.blocked}</Table.Th>
            <Table.Th ta="right">{text.reasons.detected}</Table.Th>
            <Table.Th ta="right">{text.reasons.failed}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.engine} ${row.reason}`}>
              <Table.Td className="mono">{row.engine}</Table.Td>
              <Table.Td>
                <EventsLink policy={policy} reason={row.reason}>
                  <span className="mono">{row.reason}</span>
                </EventsLink>{' '}
                <Text component="span" c="dimmed">
                  {reasonWords(row.reason)}
                </Text>
              </Table.Td>
              <Table.Td ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
                {formatCount(row.blocked)}
              </Table.Td>
              <Table.Td ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
                {formatCount(row.detected)}
              </Table.Td>
              <Table.Td ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
                {formatCount(row.errors)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Links to the requests behind a count. */
function EventsLink({ policy, reason, children }: { policy: string; reason?: string; children: ReactNode }) {
  const project = useProject();
  return (
    <Link
      to="/p/$project/shield/events"
      params={{ project: project.name }}
      search={{ policy, ...(reason !== undefined && { reason }) }}
    >
      {children}
    </Link>
  );
}
