import type { TrafficConsumer, TrafficConsumers } from '@flotilla/contract';
import { routes, useApi } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, type PlainColumn, PlainTable, useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { formatPercent } from '../charts/parts-bar.tsx';
import { Choice, readChoice } from '../choice.tsx';
import { ConsumerLink } from '../consumer-link.tsx';
import { DiscoveryHint } from '../discovery-hint.tsx';
import { Figure } from '../figure.tsx';
import classes from '../inventory.module.css';
import { ErrorRate, LastSeen } from '../operation-cells.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts as shared } from '../texts.tsx';
import { readWindow, toSearch } from '../time-window.ts';
import { TrafficRoom } from '../traffic-room.tsx';
import { WindowBar } from '../window-bar.tsx';
import { texts } from './texts.tsx';

const text = texts.columns;

const MINUTE_MS = 60_000;
const TOPS = Object.entries(texts.tops).map(([value, label]) => ({ value, label }));
const TOP_INITIAL = '50';

export function ConsumersPage() {
  const can = useCan();
  return (
    <TrafficRoom title={texts.title} lead={texts.lead}>
      {can(routes.trafficInsight.consumers) && <Consumers />}
    </TrafficRoom>
  );
}

function Consumers() {
  const url = useUrlState();
  const project = useProject();
  const asked = readWindow(url.get, useNow(MINUTE_MS));
  const top = Number(readChoice(url.get('top'), TOPS, TOP_INITIAL));
  const query = useApi(
    routes.trafficInsight.consumers,
    { query: { project: project.id, from: asked.from, to: asked.to, top } },
    { keepPrevious: true },
  );
  return (
    <div className={layout.stack}>
      <WindowBar asked={asked}>
        <Choice name="top" label={texts.show} options={TOPS} initial={TOP_INITIAL} />
      </WindowBar>
      <StoreLoaded query={query} what={texts.what} skeleton={10}>
        {({ body }) => <Ranking consumers={body} times={toSearch(asked)} />}
      </StoreLoaded>
    </div>
  );
}

interface RankingProps {
  readonly consumers: TrafficConsumers;
  readonly times: Readonly<Record<string, string>>;
}

function Ranking({ consumers, times }: RankingProps) {
  const { requests, anonymous_requests: anonymous, items } = consumers;
  const number = (value: number) => Math.round(value).toLocaleString('en');
  const share = (value: number) => formatPercent(requests === 0 ? null : value / requests);
  return (
    <>
      <dl className={classes.figures} aria-label={texts.figures.title}>
        <Figure name={texts.figures.all}>{number(requests)}</Figure>
        <Figure name={texts.figures.named} note={share(requests - anonymous)}>
          {number(requests - anonymous)}
        </Figure>
        <Figure name={texts.figures.anonymous} note={share(anonymous)}>
          {number(anonymous)}
        </Figure>
      </dl>
      {items.length === 0 ? (
        <DiscoveryHint otherwise={<Empty title={texts.none.title}>{texts.none.text}</Empty>} />
      ) : (
        <PlainTable name={texts.list} rows={items} columns={listColumns(times)} rowId={({ consumer }) => consumer} />
      )}
      {consumers.truncated && <p className={classes.dim}>{shared.truncated}</p>}
      {consumers.sampled && <p className={classes.dim}>{shared.sampled}</p>}
    </>
  );
}

function listColumns(times: RankingProps['times']): readonly PlainColumn<TrafficConsumer>[] {
  const number = (
    id: string,
    header: string,
    read: (row: TrafficConsumer) => number,
  ): PlainColumn<TrafficConsumer> => ({
    id,
    header,
    align: 'right',
    cell: (row) => Math.round(read(row)).toLocaleString('en'),
  });
  return [
    {
      id: 'consumer',
      header: text.consumer,
      isNarrow: true,
      cell: ({ consumer }) => <ConsumerLink hash={consumer} search={times} />,
    },
    { ...number('requests', text.requests, ({ requests }) => requests), isNarrow: true },
    { id: 'share', header: text.share, align: 'right', cell: ({ percentage }) => texts.percent(percentage) },
    {
      id: 'errors',
      header: text.errors,
      align: 'right',
      isNarrow: true,
      cell: ({ server_error_share: share }) => (share === null ? shared.unknown : <ErrorRate rate={share} />),
    },
    number('endpoints', text.endpoints, (row) => row.distinct_operations),
    number('objects', text.objects, (row) => row.distinct_objects),
    number('sources', text.sources, (row) => row.distinct_sources),
    number('auth', text.authFailures, (row) => row.auth_failures),
    number('threat', text.threatHits, (row) => row.threat_intel_hits),
    number('risk', text.risk, (row) => row.risk_max),
    { id: 'last', header: text.lastSeen, cell: ({ last_seen: at }) => <LastSeen at={at} /> },
  ];
}
