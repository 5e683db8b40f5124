import type { TrafficEvent } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useUrlState } from '../../../app/url-state.ts';
import { DataTable } from '../../../ui/index.ts';
import { useArrivals } from '../../audit/index.ts';
import { DecisionChart } from '../decisions/decision-chart.tsx';
import { DiscoveryHint } from '../discovery-hint.tsx';
import { GapsNotice } from '../gaps-notice.tsx';
import { NoTraffic } from '../no-traffic.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts as shared } from '../texts.tsx';
import { useGaps } from '../use-gaps.ts';
import { WindowBar } from '../window-bar.tsx';
import { EVENT_COLUMNS } from './event-columns.tsx';
import { EventDrawer } from './event-drawer.tsx';
import classes from './events.module.css';
import { FacetStrip } from './facet-strip.tsx';
import { LiveBar } from './live-bar.tsx';
import { joinLive } from './live-rows.ts';
import { texts } from './texts.tsx';
import { useTrafficEvents } from './use-traffic-events.ts';

const text = texts.list;

/** Finds single requests: groups, filters, a table and a live tail. `operationId`: of one endpoint. */
export function EventsExplorer({ operationId }: { operationId?: string }) {
  const events = useTrafficEvents(operationId);
  const { asked, list, first, state, filters, live, narrowed } = events;
  const gaps = useGaps(asked);
  const rows = joinLive(live.tail.rows, list.rows);
  const arrivals = useArrivals<TrafficEvent>(rows, live.isOn);
  return (
    <div className={classes.list}>
      <WindowBar asked={asked}>
        <LiveBar live={live} />
      </WindowBar>
      <GapsNotice gaps={gaps} />
      <StoreLoaded query={first} what={text.what} skeleton={3}>
        {({ facets, key_ids: keys, sampled }) => (
          <>
            <DecisionChart window={asked} filters={narrowed} gaps={gaps} />
            {facets && <FacetStrip facets={facets} state={state} isOfOperation={operationId !== undefined} />}
            {keys !== null && keys.length > 1 && <p className={classes.dimmed}>{text.key}</p>}
            {sampled && <p className={classes.dimmed}>{shared.sampled}</p>}
            <div
              ref={arrivals.frame}
              className={classes.list}
              onScrollCapture={(event) => arrivals.onScroll((event.target as HTMLElement).scrollTop)}
            >
              <DataTable
                name={text.name}
                list={{ ...list, rows: arrivals.rows, total: totalOf(list.total, live.tail.rows.length) }}
                state={state}
                columns={EVENT_COLUMNS}
                filters={filters}
                rowId={(row) => row.id}
                actions={
                  arrivals.waiting > 0 && (
                    <Button variant="light" onClick={arrivals.showNew}>
                      {text.showNew(arrivals.waiting)}
                    </Button>
                  )
                }
                empty={<Nothing range={asked.preset} />}
              />
            </div>
          </>
        )}
      </StoreLoaded>
      <EventDrawer rows={arrivals.rows} />
    </div>
  );
}

/** The list does not count all its rows. */
function totalOf(total: number | undefined, live: number): number | undefined {
  return total === undefined ? undefined : total + live;
}

function Nothing({ range }: { range: string | undefined }) {
  const url = useUrlState();
  const isLive = url.get('live') !== undefined;
  return isLive ? (
    <p className={classes.dimmed}>{texts.live.waiting}</p>
  ) : (
    <DiscoveryHint otherwise={<NoTraffic range={range} />} />
  );
}
