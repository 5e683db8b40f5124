import type { TrafficTransport } from '@flotilla/contract';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { type PlainColumn, PlainTable, Section, useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { GroupTable } from '../charts/group-table.tsx';
import { DiscoveryHint } from '../discovery-hint.tsx';
import { EventsLink } from '../events-link.tsx';
import { Figure } from '../figure.tsx';
import classes from '../inventory.module.css';
import { NoTraffic } from '../no-traffic.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts as shared } from '../texts.tsx';
import { readWindow, toSearch } from '../time-window.ts';
import { WindowBar } from '../window-bar.tsx';
import { texts } from './texts.tsx';

const text = texts.transport;

const MINUTE_MS = 60_000;

/** How requests were encrypted, and which were not. */
export function TransportTab() {
  const url = useUrlState();
  const project = useProject();
  const asked = readWindow(url.get, useNow(MINUTE_MS));
  const query = useApi(
    routes.trafficInsight.transport,
    { query: { project: project.id, from: asked.from, to: asked.to } },
    { keepPrevious: true },
  );
  return (
    <div className={layout.stack}>
      <WindowBar asked={asked} />
      <StoreLoaded query={query} what={text.what} skeleton={8}>
        {({ body }) =>
          body.requests === 0 ? (
            <DiscoveryHint otherwise={<NoTraffic range={asked.preset} />} />
          ) : (
            <Transport transport={body} times={toSearch(asked)} />
          )
        }
      </StoreLoaded>
    </div>
  );
}

interface TransportProps {
  readonly transport: TrafficTransport;
  readonly times: Readonly<Record<string, string>>;
}

function Transport({ transport, times }: TransportProps) {
  const { summary } = transport;
  const sums = { total: transport.requests, search: times };
  return (
    <>
      <dl className={classes.figures} aria-label={text.figures}>
        <Figure name={text.plain}>{text.percent(summary.plain_text_percentage)}</Figure>
        <Figure name={text.weak}>{text.percent(summary.weak_tls_percentage)}</Figure>
        <Figure name={text.legacy}>{text.percent(summary.legacy_protocol_percentage)}</Figure>
        <Figure name={text.modern}>{text.percent(summary.http2_or_later_percentage)}</Figure>
      </dl>
      <div className={classes.grid}>
        <GroupTable by="tls" groups={transport.tls_versions} {...sums} />
        <GroupTable by="protocols" groups={transport.protocols} {...sums} />
      </div>
      <Section title={text.items}>
        {transport.items.length === 0 ? (
          <p className={classes.dim}>{text.itemsNone}</p>
        ) : (
          <PlainTable
            name={text.items}
            rows={transport.items}
            columns={listColumns(times)}
            rowId={(row) =>
              `${row.listener_name} ${row.host} ${row.normalized_path} ${row.tls_version} ${row.protocol}`
            }
          />
        )}
      </Section>
      {transport.truncated && <p className={classes.dim}>{shared.truncated}</p>}
    </>
  );
}

type Item = TrafficTransport['items'][number];

function listColumns(times: TransportProps['times']): readonly PlainColumn<Item>[] {
  return [
    {
      id: 'endpoint',
      header: text.item,
      isNarrow: true,
      cell: ({ host, normalized_path: path }) => (
        <EventsLink search={{ ...times, host_is: host, path_is: path }}>
          <bdi className={`mono ${classes.operation}`} title={`${host}${path}`}>{`${host}${path}`}</bdi>
        </EventsLink>
      ),
    },
    { id: 'listener', header: text.listener, cell: (row) => <bdi className="mono">{row.listener_name}</bdi> },
    { id: 'tls', header: text.tls, cell: ({ tls_version: version }) => <bdi>{version || shared.groups.noTls}</bdi> },
    { id: 'protocol', header: text.protocol, cell: ({ protocol }) => protocol },
    {
      id: 'issues',
      header: text.issues,
      isNarrow: true,
      cell: ({ issues }) => issues.map((issue) => text.issueNames[issue]).join(', '),
    },
    {
      id: 'requests',
      header: text.requests,
      align: 'right',
      cell: ({ requests }) => Math.round(requests).toLocaleString('en'),
    },
  ];
}
