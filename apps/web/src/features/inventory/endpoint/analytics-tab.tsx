import { Skeleton } from '@mantine/core';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { TrafficCharts } from '../charts/traffic-charts.tsx';
import { GapsNotice } from '../gaps-notice.tsx';
import { LatencyMap } from '../latency/latency-map.tsx';
import { NoTraffic } from '../no-traffic.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts as shared } from '../texts.tsx';
import { readWindow } from '../time-window.ts';
import { useGaps } from '../use-gaps.ts';
import { WindowBar } from '../window-bar.tsx';
import { texts } from './texts.tsx';

const REFRESH_MS = 10_000;
const CHARTS = ['requests', 'latency', 'errors', 'bytes', 'uniques', 'risk'] as const;

/** The requests of an operation over time. */
export function AnalyticsTab({ operationId }: { operationId: string }) {
  const url = useUrlState();
  const project = useProject();
  const now = useNow(REFRESH_MS);
  const asked = readWindow(url.get, now, REFRESH_MS);
  const query = useApi(
    routes.trafficInsight.statsOfOperation,
    {
      params: { operation_id: operationId },
      query: { project: project.id, from: asked.from, to: asked.to, uniques: 'true' },
    },
    { keepPrevious: true },
  );
  const gaps = useGaps(asked);
  return (
    <div className={layout.stack}>
      <WindowBar asked={asked} />
      <GapsNotice gaps={gaps} />
      <StoreLoaded query={query} what={texts.stats.what} skeleton={<Skeleton height={480} />}>
        {({ body }) =>
          body.totals.requests === 0 ? (
            <NoTraffic range={asked.preset} />
          ) : (
            <>
              <TrafficCharts answer={body} gaps={gaps} now={now} kinds={CHARTS} />
              <LatencyMap window={asked} filters={{ operation_id: operationId }} gaps={gaps} />
              {body.sampled && <p className={layout.note}>{shared.sampled}</p>}
            </>
          )
        }
      </StoreLoaded>
    </div>
  );
}
