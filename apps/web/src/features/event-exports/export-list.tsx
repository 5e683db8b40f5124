import type { EventExportView } from '@flotilla/contract';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { explain, Notice, type PlainColumn, RowActions, ShortList, State, sayDone, useWrite } from '../../ui/index.ts';
import { ExportDrawers } from './export-drawer.tsx';
import { texts } from './texts.ts';

const text = texts.exports;
const LOOKS = {
  off: { tone: 'quiet', shape: 'square' },
  unused: { tone: 'quiet', shape: 'ring' },
  working: { tone: 'good', shape: 'full' },
  failing: { tone: 'bad', shape: 'triangle' },
} as const;

const COLUMNS: readonly PlainColumn<EventExportView>[] = [
  { id: 'name', header: text.name, isNarrow: true, cell: ({ name }) => <bdi>{name}</bdi> },
  { id: 'kind', header: text.kind, isNarrow: true, cell: ({ target }) => text.kinds[target.kind] },
  { id: 'target', header: text.target, cell: ({ target }) => <bdi>{describeTarget(target)}</bdi> },
  {
    id: 'state',
    header: text.state,
    isNarrow: true,
    cell: ({ state, last_error: error }) => (
      <State word={text.states[state]} {...LOOKS[state]} {...(error !== null && { why: error })} />
    ),
  },
  { id: 'sent', header: text.sent, isNarrow: true, cell: ({ sent_events: sent }) => sent.toLocaleString('en') },
  {
    id: 'waiting',
    header: text.waiting,
    isNarrow: true,
    cell: ({ backlog_events: waiting, lag_s: seconds }) => text.waitingFor(waiting, seconds),
  },
  {
    id: 'lost',
    header: text.lost,
    isNarrow: true,
    cell: ({ lost_events: lost }) =>
      lost === 0 ? '0' : <State word={lost.toLocaleString('en')} tone="bad" shape="triangle" why={text.lostWhy} />,
  },
  { id: 'actions', header: text.actions, isNarrow: true, cell: (one) => <Actions shown={one} /> },
];

function describeTarget(target: EventExportView['target']): string {
  if (target.kind === 'webhook') return target.url;
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  return `${host}:${target.port}`;
}

/** Numbers of an export change without a message. */
const REFRESH_MS = 5000;

/** `?create=export` and `?export=<id>` open the drawers. */
export function ExportList() {
  const project = useProject();
  const can = useCan();
  const found = useApi(
    routes.eventExport.list,
    { query: { project: project.id, limit: 100 } },
    { refetchEveryMs: () => REFRESH_MS },
  );
  return (
    <>
      <ShortList
        words={text}
        query={found}
        columns={COLUMNS}
        create={{ route: routes.eventExport.create, opens: { create: 'export' } }}
      />
      {can(routes.eventExport.replace) && <ExportDrawers />}
    </>
  );
}

const STALE = { stale: [routes.eventExport.list] };

function Actions({ shown: { id, name } }: { shown: EventExportView }) {
  const project = useProject();
  const can = useCan();
  const write = useWrite();
  const url = useUrlState();
  const [problem, setProblem] = useState<string>();
  const to = { params: { export_id: id }, query: { project: project.id } };
  const test = async () => {
    setProblem(undefined);
    try {
      const { body } = await write(routes.eventExport.test, to, STALE);
      if (body.ok) sayDone(text.tested(name, body.message, body.latency_ms));
      else setProblem(text.testFailed(name, body.message));
    } catch (error) {
      setProblem(explain(error).message);
    }
  };
  const remove = () => write(routes.eventExport.delete, to, { done: text.removed(name), ...STALE });
  return (
    <>
      <RowActions
        of={name}
        actions={[
          {
            word: text.test,
            label: text.testLabel(name),
            onClick: can(routes.eventExport.test) ? () => void test() : undefined,
          },
          {
            word: text.edit,
            label: text.editLabel(name),
            onClick: can(routes.eventExport.replace) ? () => url.set({ export: id }, 'push') : undefined,
          },
          {
            word: text.remove,
            label: text.removeLabel(name),
            confirm: can(routes.eventExport.delete)
              ? { title: text.removeTitle(name), children: text.removeText, isDangerous: true, onConfirm: remove }
              : undefined,
          },
        ]}
      />
      {problem !== undefined && (
        <Notice tone="bad" title={text.testNotSent}>
          {problem}
        </Notice>
      )}
    </>
  );
}
