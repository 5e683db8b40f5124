import { Skeleton } from '@mantine/core';
import { routes, useApi } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { DiscoveryHint } from '../discovery-hint.tsx';
import { NoTraffic } from '../no-traffic.tsx';
import { ServiceChoice } from '../service-choice.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { readWindow } from '../time-window.ts';
import { TrafficRoom } from '../traffic-room.tsx';
import { useGaps } from '../use-gaps.ts';
import { WindowBar } from '../window-bar.tsx';
import { OverviewParts } from './overview-parts.tsx';
import { texts } from './texts.tsx';

/** The newest requests appear this often. */
const REFRESH_MS = 10_000;
const SKELETON_PX = 640;

/** The requests through the proxies, at one look. */
export function TrafficOverviewPage() {
  const can = useCan();
  return (
    <TrafficRoom title={texts.title} lead={texts.lead}>
      {can(routes.trafficInsight.overview) && <Overview />}
    </TrafficRoom>
  );
}

function Overview() {
  const url = useUrlState();
  const project = useProject();
  const now = useNow(REFRESH_MS);
  const asked = readWindow(url.get, now, REFRESH_MS);
  const service = url.get('service_id');
  const { from, to } = asked;
  const filters = { ...(service !== undefined && { service_id: service }) };
  const overview = useApi(
    routes.trafficInsight.overview,
    { query: { project: project.id, from, to, ...(service !== undefined && { service_id: [service] }) } },
    { keepPrevious: true },
  );
  const gaps = useGaps(asked, service);
  return (
    <div className={layout.stack}>
      <WindowBar asked={asked}>
        <ServiceChoice />
      </WindowBar>
      <StoreLoaded query={overview} what={texts.what} skeleton={<Skeleton height={SKELETON_PX} />}>
        {({ body }) =>
          body.totals.requests === 0 && gaps.length === 0 ? (
            <DiscoveryHint otherwise={<NoTraffic range={asked.preset} />} />
          ) : (
            <OverviewParts overview={body} gaps={gaps} asked={asked} filters={filters} now={now} />
          )
        }
      </StoreLoaded>
    </div>
  );
}
