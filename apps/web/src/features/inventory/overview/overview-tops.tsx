import type { TrafficGroup, TrafficOperationGroup, TrafficOverview } from '@flotilla/contract';
import { ServiceLink } from '../../../app/links.tsx';
import { type PlainColumn, Section } from '../../../ui/index.ts';
import { CountryMap } from '../charts/country-map.tsx';
import { GroupTable } from '../charts/group-table.tsx';
import { TopTable } from '../charts/top-table.tsx';
import { ConsumerLink } from '../consumer-link.tsx';
import classes from '../inventory.module.css';
import { formatLatency } from '../looks.ts';
import { ErrorRate } from '../operation-cells.tsx';
import { OperationLink } from '../operation-name.tsx';
import { texts as shared } from '../texts.tsx';
import { type AskedWindow, toSearch } from '../time-window.ts';
import { texts } from './texts.tsx';

const text = texts.tops;

type Group = TrafficGroup | TrafficOperationGroup;

const ERRORS: PlainColumn<Group> = {
  id: 'errors',
  header: text.errors,
  align: 'right',
  isNarrow: true,
  cell: ({ server_error_share: share }) => (share === null ? shared.unknown : <ErrorRate rate={share} />),
};
const LATENCY: PlainColumn<Group> = {
  id: 'latency',
  header: text.latency,
  align: 'right',
  cell: ({ latency_max_ms: ms }) => formatLatency(ms),
};

interface OverviewTopsProps {
  readonly overview: TrafficOverview;
  readonly asked: AskedWindow;
}

/** The largest groups. Every name leads to its requests. */
export function OverviewTops({ overview, asked }: OverviewTopsProps) {
  const times = toSearch(asked);
  return (
    <>
      <TopTable
        title={text.endpoints}
        rows={overview.top_operations}
        rowId={({ operation_id: id }) => id}
        name={{ header: text.endpoint, cell: (row) => <OperationLink of={{ ...row, id: row.operation_id }} isWhole /> }}
        requests={text.requests}
        further={[ERRORS, LATENCY]}
        none={text.none}
      />
      <div className={classes.grid}>
        <TopTable
          title={text.services}
          rows={overview.top_services}
          rowId={({ value }) => value}
          name={{
            header: text.service,
            cell: ({ value, label }) => <ServiceLink id={value} name={label ?? shared.gaps.gone} tab="traffic" />,
          }}
          requests={text.requests}
          further={[ERRORS]}
          none={text.none}
        />
        {overview.top_consumers && (
          <TopTable
            title={text.consumers}
            rows={overview.top_consumers}
            rowId={({ value }) => value}
            name={{ header: text.consumer, cell: ({ value }) => <ConsumerLink hash={value} search={times} /> }}
            requests={text.requests}
            further={[ERRORS]}
            none={text.none}
          />
        )}
        <Origins overview={overview} times={times} />
      </div>
    </>
  );
}

interface OriginsProps extends Pick<OverviewTopsProps, 'overview'> {
  readonly times: Readonly<Record<string, string>>;
}

/** Countries as a map and as a table, and kinds of user agents. */
function Origins({ overview, times }: OriginsProps) {
  const { top_countries: countries, agent_kinds: agents, totals } = overview;
  const isLocated = countries?.some(({ value }) => value !== '') ?? false;
  const sums = { total: totals.requests, search: times };
  return (
    <>
      {countries && isLocated && (
        <Section title={text.map}>
          <CountryMap groups={countries} total={totals.requests} />
        </Section>
      )}
      {countries && (
        <GroupTable by="countries" groups={countries} {...sums} note={isLocated ? undefined : text.noGeo} />
      )}
      {agents && <GroupTable by="agents" groups={agents} {...sums} />}
    </>
  );
}
