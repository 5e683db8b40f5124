import type { TrafficBots } from '@flotilla/contract';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, type PlainColumn, PlainTable, useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { ShareBar } from '../charts/share-bar.tsx';
import { Choice, readChoice } from '../choice.tsx';
import { DiscoveryHint } from '../discovery-hint.tsx';
import { EventsLink } from '../events-link.tsx';
import { Figure } from '../figure.tsx';
import classes from '../inventory.module.css';
import { ErrorRate } from '../operation-cells.tsx';
import { nameOf, OperationLink } from '../operation-name.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts as shared } from '../texts.tsx';
import { readWindow, toSearch } from '../time-window.ts';
import { WindowBar } from '../window-bar.tsx';
import { texts } from './texts.tsx';

const text = texts.bots;

const MINUTE_MS = 60_000;
const LISTED_MAX = 100;
const KINDS = [
  { value: 'all', label: text.all },
  { value: 'scanner', label: shared.agentKinds.scanner ?? '' },
  { value: 'bot', label: shared.agentKinds.bot ?? '' },
];

/** Lists the endpoints that scanners and bots call. */
export function BotsTab() {
  const url = useUrlState();
  const project = useProject();
  const asked = readWindow(url.get, useNow(MINUTE_MS));
  const kind = readChoice(url.get('kind'), KINDS, 'all');
  const query = useApi(
    routes.trafficInsight.bots,
    {
      query: {
        project: project.id,
        from: asked.from,
        to: asked.to,
        top: LISTED_MAX,
        ...(kind !== 'all' && { kind: [kind as 'scanner' | 'bot'] }),
      },
    },
    { keepPrevious: true },
  );
  return (
    <div className={layout.stack}>
      <WindowBar asked={asked}>
        <Choice name="kind" label={text.kind} options={KINDS} initial="all" />
      </WindowBar>
      <StoreLoaded query={query} what={text.what} skeleton={8}>
        {({ body }) => <Bots bots={body} times={toSearch(asked)} />}
      </StoreLoaded>
    </div>
  );
}

interface BotsProps {
  readonly bots: TrafficBots;
  readonly times: Readonly<Record<string, string>>;
}

function Bots({ bots: { requests, items, truncated, sampled }, times }: BotsProps) {
  if (items.length === 0) return <DiscoveryHint otherwise={<Empty title={text.none}>{text.noneText}</Empty>} />;
  return (
    <>
      <dl className={classes.figures} aria-label={text.figures}>
        <Figure name={text.requests}>{Math.round(requests).toLocaleString('en')}</Figure>
      </dl>
      <PlainTable
        name={text.name}
        rows={items}
        columns={listColumns(items, times)}
        rowId={(row) => `${row.operation_id} ${row.agent_kind}`}
      />
      {truncated && <p className={classes.dim}>{shared.truncated}</p>}
      {sampled && <p className={classes.dim}>{shared.sampled}</p>}
    </>
  );
}

type Item = TrafficBots['items'][number];

function listColumns(items: readonly Item[], times: BotsProps['times']): readonly PlainColumn<Item>[] {
  const most = Math.max(1, ...items.map((row) => row.requests));
  return [
    {
      id: 'endpoint',
      header: text.endpoint,
      isNarrow: true,
      cell: (row) => <OperationLink of={{ ...row, id: row.operation_id }} isWhole />,
    },
    {
      id: 'kind',
      header: text.kind,
      isNarrow: true,
      cell: ({ agent_kind: kind }) => shared.agentKinds[kind] ?? kind,
    },
    {
      id: 'requests',
      header: text.requests,
      cell: (row) => (
        <ShareBar share={row.requests / most} tone={row.agent_kind === 'scanner' ? 'bad' : 'warn'}>
          {Math.round(row.requests).toLocaleString('en')}
        </ShareBar>
      ),
    },
    {
      id: 'errors',
      header: text.errors,
      align: 'right',
      cell: ({ server_error_share: share }) => (share === null ? shared.unknown : <ErrorRate rate={share} />),
    },
    {
      id: 'blocked',
      header: text.blocked,
      align: 'right',
      cell: (row) => Math.round(row.blocked).toLocaleString('en'),
    },
    { id: 'risk', header: text.risk, align: 'right', cell: (row) => row.risk_max },
    {
      id: 'events',
      header: text.events,
      isNarrow: true,
      cell: (row) => (
        <EventsLink
          search={{ ...times, operation_id: row.operation_id, agent_kind: row.agent_kind }}
          title={text.showOf(nameOf(row))}
        >
          {text.show}
        </EventsLink>
      ),
    },
  ];
}
