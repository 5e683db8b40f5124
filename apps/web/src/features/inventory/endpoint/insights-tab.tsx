import type { TrafficGeo } from '@flotilla/contract';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Section, useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { GroupTable } from '../charts/group-table.tsx';
import { PartsBar } from '../charts/parts-bar.tsx';
import classes from '../inventory.module.css';
import { NoTraffic } from '../no-traffic.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts as shared } from '../texts.tsx';
import { readWindow, toSearch } from '../time-window.ts';
import { WindowBar } from '../window-bar.tsx';
import { texts } from './texts.tsx';

const text = texts.geo;

const MINUTE_MS = 60_000;

/** Where the requests of an operation come from. */
export function InsightsTab({ operationId }: { operationId: string }) {
  const url = useUrlState();
  const project = useProject();
  const asked = readWindow(url.get, useNow(MINUTE_MS));
  const query = useApi(
    routes.trafficInsight.geo,
    { query: { project: project.id, from: asked.from, to: asked.to, operation_id: [operationId] } },
    { keepPrevious: true },
  );
  return (
    <div className={layout.stack}>
      <WindowBar asked={asked} />
      <StoreLoaded query={query} what={text.what} skeleton={8}>
        {({ body }) =>
          body.requests === 0 ? (
            <NoTraffic range={asked.preset} />
          ) : (
            <Insights geo={body} search={{ operation_id: operationId, ...toSearch(asked) }} />
          )
        }
      </StoreLoaded>
    </div>
  );
}

interface InsightsProps {
  readonly geo: TrafficGeo;
  /** Filters of the requests that are counted here. */
  readonly search: Readonly<Record<string, string>>;
}

function Insights({ geo, search }: InsightsProps) {
  const { origins, threat_intel: threat } = geo;
  const sums = { total: geo.requests, search };
  return (
    <>
      <Section title={text.origins}>
        <PartsBar
          name={text.origins}
          parts={[
            { name: text.external, count: origins.external, tone: 'busy' },
            { name: text.internal, count: origins.internal, tone: 'good' },
            { name: text.unknown, count: origins.unknown, tone: 'quiet' },
          ]}
        />
      </Section>
      <p className={classes.dim}>
        {threat.requests === 0
          ? text.noHits
          : text.threatHits(Math.round(threat.requests).toLocaleString('en'), threat.percentage)}
      </p>
      <div className={classes.grid}>
        <GroupTable by="countries" groups={geo.countries} {...sums} />
        <GroupTable by="networks" groups={geo.networks} {...sums} />
        <GroupTable by="agents" groups={geo.agent_kinds} {...sums} />
        {threat.sources.length > 0 && <GroupTable by="threats" groups={threat.sources} {...sums} />}
      </div>
      {geo.truncated && <p className={classes.dim}>{shared.truncated}</p>}
    </>
  );
}
