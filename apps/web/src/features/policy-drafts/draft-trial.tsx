import type { PolicyDraft, ReplayReport } from '@flotilla/contract';
import { Button, Group, List, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Notice, type PlainColumn, PlainTable, Problem, Section, useSending } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.trial;
const HOUR_MS = 3_600_000;
const RANGES = [
  { value: '1', label: text.ranges.hour },
  { value: '24', label: text.ranges.day },
  { value: '168', label: text.ranges.week },
];

/** Replays recorded traffic against a draft. */
export function DraftTrial({ draft }: { readonly draft: PolicyDraft }) {
  const project = useProject();
  const sending = useSending();
  const [hours, setHours] = useState('24');
  const [report, setReport] = useState<ReplayReport>();
  const run = () =>
    sending.send(async () => {
      setReport(undefined);
      const to = new Date();
      const from = new Date(to.getTime() - Number(hours) * HOUR_MS).toISOString();
      const { body } = await call(routes.shieldTrial.replay, {
        query: { project: project.id },
        body: {
          candidate: { draft: { text: draft.text } },
          records: { source: 'traffic', from, to: to.toISOString() },
          enforce: true,
        },
      });
      setReport(body);
    });
  return (
    <Section title={text.title}>
      <Stack gap="sm">
        <Text size="sm">{text.lead}</Text>
        <Group gap="xs">
          <Button variant="default" loading={sending.isBusy} onClick={() => void run()}>
            {text.run}
          </Button>
          <Select
            aria-label={text.range}
            data={RANGES}
            value={hours}
            allowDeselect={false}
            onChange={(next) => setHours(next ?? '24')}
            w={160}
          />
        </Group>
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        <div aria-live="polite">{report && <TrialReport report={report} />}</div>
      </Stack>
    </Section>
  );
}

type Counted = ReplayReport['by_client']['groups'][number];

const listColumns = (header: string): readonly PlainColumn<Counted>[] => [
  { id: 'name', header, isNarrow: true, cell: ({ name }) => <bdi className="mono">{name}</bdi> },
  {
    id: 'blocked',
    header: text.blocked,
    align: 'right',
    isNarrow: true,
    cell: (row) => row.allow_to_block.toLocaleString('en'),
  },
  {
    id: 'requests',
    header: text.requests,
    align: 'right',
    isNarrow: true,
    cell: (row) => row.requests.toLocaleString('en'),
  },
];
const CONSUMERS = listColumns(text.consumer);
const REASONS = listColumns(text.reason);
const isBlocked = (group: Counted) => group.allow_to_block > 0;

function TrialReport({ report }: { readonly report: ReplayReport }) {
  const { totals, missing, traffic } = report;
  const consumers = report.by_client.groups.filter(isBlocked);
  const reasons = report.by_reason.groups.filter(isBlocked);
  const lines = [
    ...(totals.undetermined > 0 ? [text.undetermined(totals.undetermined)] : []),
    ...(traffic ? [text.covered(traffic.events, traffic.requests, traffic.total_requests)] : []),
    ...(traffic?.truncated ? [text.truncated] : []),
    ...(traffic && traffic.sampled_events > 0 ? [text.sampled(traffic.sampled_events)] : []),
    ...(traffic && traffic.left_out > 0 ? [text.leftOut(traffic.left_out)] : []),
    text.inferred,
  ];
  return (
    <Stack gap="md">
      <Notice
        tone={totals.allow_to_block > 0 || totals.undetermined > 0 ? 'warn' : 'good'}
        title={text.wouldBlock(totals.allow_to_block, totals.requests)}
      >
        <List size="sm">
          {lines.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      </Notice>
      {consumers.length > 0 && (
        <PlainTable name={text.consumers} rows={consumers} columns={CONSUMERS} rowId={({ name }) => name} />
      )}
      {reasons.length > 0 && (
        <PlainTable name={text.reasons} rows={reasons} columns={REASONS} rowId={({ name }) => name} />
      )}
      {missing.length > 0 && (
        <Notice tone="quiet" title={text.missing}>
          <List size="sm">
            {missing.map(({ what, engine, requests }) => (
              <List.Item key={`${engine} ${what}`}>{text.missingOf(what, engine, requests)}</List.Item>
            ))}
          </List>
        </Notice>
      )}
    </Stack>
  );
}
