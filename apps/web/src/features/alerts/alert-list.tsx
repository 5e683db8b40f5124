import type { AlertView } from '@flotilla/contract';
import { useMemo } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { ApiTable, type Column, type Filter, RowActions, sayFailed, Time, useWrite } from '../../ui/index.ts';
import { AlertState, Severity } from './alert-state.tsx';
import { SubjectLink } from './subject-link.tsx';
import { texts } from './texts.ts';

const text = texts;
const SILENCE_MS = 2 * 3_600_000;
const FILTERS: readonly Filter[] = [
  {
    name: 'severity',
    label: text.columns.severity,
    options: (['critical', 'warning', 'info'] as const).map((value) => ({ value, label: text.severities[value] })),
  },
];

const COLUMNS: readonly Column<AlertView>[] = [
  {
    id: 'severity',
    header: text.columns.severity,
    sort: 'severity',
    width: 104,
    isNarrow: true,
    cell: ({ severity }) => <Severity severity={severity} />,
    text: ({ severity }) => severity,
  },
  {
    id: 'subject',
    header: text.columns.subject,
    sort: 'subject',
    width: '1fr',
    minWidth: 110,
    isNarrow: true,
    cell: ({ subject }) => <SubjectLink subject={subject} />,
    text: ({ subject }) => subject.name,
  },
  {
    id: 'summary',
    header: text.columns.summary,
    width: '2fr',
    minWidth: 160,
    cell: ({ summary }) => <bdi title={summary}>{summary}</bdi>,
    text: ({ summary }) => summary,
  },
  {
    id: 'labels',
    header: text.columns.labels,
    width: '1fr',
    minWidth: 100,
    cell: ({ labels }) => <bdi title={describeLabels(labels)}>{describeLabels(labels)}</bdi>,
    text: ({ labels }) => describeLabels(labels),
  },
  {
    id: 'rule',
    header: text.columns.rule,
    width: '1fr',
    minWidth: 100,
    cell: ({ rule }) => <bdi title={rule.name}>{rule.name}</bdi>,
    text: ({ rule }) => rule.name,
  },
  {
    id: 'state',
    header: text.columns.state,
    sort: 'state',
    width: 104,
    cell: (alert) => <AlertState alert={alert} />,
    text: ({ state }) => state,
  },
  {
    id: 'since',
    header: text.columns.since,
    sort: 'since',
    width: 104,
    cell: ({ since }) => <Time at={since} />,
    text: ({ since }) => since,
  },
];

function describeLabels(labels: AlertView['labels']): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

const RESOLVED: Column<AlertView> = {
  id: 'resolved',
  header: text.columns.resolved,
  sort: 'resolved_at',
  width: 104,
  cell: ({ resolved_at: at }) => <Time at={at} />,
  text: ({ resolved_at: at }) => at,
};

const ACTIONS: Column<AlertView> = {
  id: 'actions',
  header: text.columns.actions,
  width: 220,
  cell: (alert) => <Actions alert={alert} />,
};

/** Lists the active alerts, or those that are resolved. */
export function AlertList({ isHistory }: { isHistory: boolean }) {
  const isEditor = useCan()(routes.alert.acknowledge);
  const columns = useMemo(() => {
    if (isHistory) return [...COLUMNS, RESOLVED];
    return isEditor ? [...COLUMNS, ACTIONS] : COLUMNS;
  }, [isHistory, isEditor]);
  return (
    <ApiTable<AlertView>
      words={{
        name: isHistory ? text.tabs.history : text.tabs.active,
        searches: text.searches,
        empty: isHistory ? text.history : text.active,
      }}
      route={routes.alert.list}
      query={{ state: isHistory ? ['resolved'] : ['firing', 'pending'] }}
      topics={['alert']}
      columns={columns}
      filters={FILTERS}
    />
  );
}

const STALE = { stale: [routes.alert.list, routes.alert.summary] };

function Actions({ alert }: { alert: AlertView }) {
  const project = useProject();
  const write = useWrite();
  const { id, subject, acknowledged_at: acknowledgedAt, silenced_until: silencedUntil } = alert;
  const isAcknowledged = acknowledgedAt !== null;
  const isSilenced = silencedUntil !== null && Date.parse(silencedUntil) > Date.now();
  const to = { params: { alert_id: id }, query: { project: project.id } };
  const sayIfFailed = (work: Promise<unknown>) =>
    work.catch((error: unknown) => sayFailed(text.acknowledge.failed, error));
  const acknowledge = () => {
    void sayIfFailed(write(routes.alert.acknowledge, { ...to, body: { acknowledged: !isAcknowledged } }, STALE));
  };
  const silence = () => {
    const until = isSilenced ? null : new Date(Date.now() + SILENCE_MS).toISOString();
    void sayIfFailed(write(routes.alert.silence, { ...to, body: { until } }, STALE));
  };
  return (
    <RowActions
      of={subject.name}
      actions={[
        {
          word: isAcknowledged ? text.acknowledge.undo : text.acknowledge.action,
          label: isAcknowledged ? text.acknowledge.undoLabel(subject.name) : text.acknowledge.label(subject.name),
          onClick: alert.state === 'firing' ? acknowledge : undefined,
        },
        {
          word: isSilenced ? text.silence.end : text.silence.action,
          label: isSilenced ? text.silence.endLabel(subject.name) : text.silence.label(subject.name),
          onClick: silence,
        },
      ]}
    />
  );
}
