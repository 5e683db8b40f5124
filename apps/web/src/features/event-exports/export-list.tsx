import type { EventExportView } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { type PlainColumn, ReceiverActions, ShortList, State, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
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
  {
    id: 'kind',
    header: text.kind,
    cell: ({ target }) => <span style={{ whiteSpace: 'nowrap' }}>{text.kinds[target.kind]}</span>,
  },
  { id: 'target', header: text.target, cell: (shown) => <Receiver shown={shown} /> },
  {
    id: 'state',
    header: text.state,
    isNarrow: true,
    cell: ({ state, last_error: error }) => (
      <State word={text.states[state]} {...LOOKS[state]} {...(error !== null && { why: error })} />
    ),
  },
  { id: 'sent', header: text.sent, align: 'right', cell: ({ sent_events: sent }) => sent.toLocaleString('en') },
  {
    id: 'waiting',
    header: text.waiting,
    align: 'right',
    cell: ({ backlog_events: waiting, lag_s: seconds }) => text.waitingFor(waiting, seconds),
  },
  {
    id: 'lost',
    header: text.lost,
    align: 'right',
    isNarrow: true,
    cell: ({ lost_events: lost }) =>
      lost === 0 ? '0' : <State word={lost.toLocaleString('en')} tone="bad" shape="triangle" why={text.lostWhy} />,
  },
  { id: 'actions', header: text.actions, isNarrow: true, cell: (one) => <Actions shown={one} /> },
];

/** Why an export fails is the first question of the person who sees it. */
function Receiver({ shown: { target, state, last_error: error } }: { shown: EventExportView }) {
  return (
    <>
      <bdi>{describeTarget(target)}</bdi>
      {state === 'failing' && error !== null && (
        <div className={layout.note}>
          <bdi>{error}</bdi>
        </div>
      )}
    </>
  );
}

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
  const to = { params: { export_id: id }, query: { project: project.id } };
  const edit = () => url.set({ export: id }, 'push');
  const remove = () => write(routes.eventExport.delete, to, { done: text.removed(name), ...STALE });
  return (
    <ReceiverActions
      name={name}
      words={text}
      test={can(routes.eventExport.test) ? () => write(routes.eventExport.test, to, STALE) : undefined}
      edit={can(routes.eventExport.replace) ? edit : undefined}
      remove={can(routes.eventExport.delete) ? remove : undefined}
    />
  );
}
