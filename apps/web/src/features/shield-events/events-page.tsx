import { Button, SegmentedControl, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { DataTable, Empty, Loaded, Page } from '../../ui/index.ts';
import { OwnTimes, useArrivals } from '../audit/index.ts';
import { EVENT_COLUMNS } from './event-columns.tsx';
import { EventDrawer } from './event-drawer.tsx';
import { type AskedRange, EVENT_RANGES, rangeOf } from './event-range.ts';
import classes from './events.module.css';
import { SummaryStrip } from './summary-strip.tsx';
import { useShieldEvents } from './use-shield-events.ts';

const STRIP_PX = 150;

export function ShieldEventsPage() {
  const project = useProject();
  const can = useCan();
  return (
    <Page
      title="Filter events"
      lead="Which requests the filters blocked, and what policies in mode detect would have blocked."
      isWide
      actions={
        can(routes.shieldTrial.try) && (
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/p/$project/shield/try" params={{ project: project.name }} {...props} />}
          >
            Try a request
          </Button>
        )
      }
    >
      {can(routes.shieldEvent.list) ? <Events /> : <Empty title="You may not see events in this project" />}
    </Page>
  );
}

function Events() {
  const project = useProject();
  const url = useUrlState();
  const { list, summary, state, filters, asked, isNewestFirst } = useShieldEvents();
  const { frame, onScroll, showNew, rows, waiting } = useArrivals(list.rows, isNewestFirst);
  const total = summary.data?.body.totals.events ?? list.total;
  return (
    <div className={classes.list}>
      <Ranges asked={asked} />
      <Loaded query={summary} what="The counts" skeleton={<Skeleton height={STRIP_PX} />}>
        {({ body }) => <SummaryStrip summary={body} state={state} />}
      </Loaded>
      <div
        ref={frame}
        className={classes.list}
        onScrollCapture={(event) => onScroll((event.target as HTMLElement).scrollTop)}
      >
        <DataTable
          name="events"
          list={{ ...list, rows, total }}
          state={state}
          columns={EVENT_COLUMNS}
          filters={filters}
          rowId={(row) => row.id}
          searches="Host, path, subject, reason, policy, request id"
          actions={
            waiting > 0 && (
              <Button variant="light" onClick={showNew}>
                {waiting} new
              </Button>
            )
          }
          empty={
            <Empty
              title="Nothing was blocked or detected in this time"
              action={
                url.get('range') === '7d' ? (
                  <Link to="/p/$project/policies" params={{ project: project.name }}>
                    Show the policies
                  </Link>
                ) : (
                  <Button variant="default" onClick={() => url.set({ range: '7d', from: undefined, to: undefined })}>
                    Show the last 7 days
                  </Button>
                )
              }
            >
              Whatever an engine has against a request stands here within seconds: who, where, why. Allowed requests are
              counted, not listed.
            </Empty>
          }
        />
      </div>
      <p className={classes.dimmed}>
        Kept for 7 days. Under a flood filters record a part of what they block; the counts of a policy's traffic are
        complete.
      </p>
      <EventDrawer rows={list.rows} isLoading={list.query.isPending} />
    </div>
  );
}

function Ranges({ asked }: { asked: AskedRange }) {
  const url = useUrlState();
  const range = rangeOf(asked);
  return (
    <div className={classes.bar}>
      <SegmentedControl
        size="xs"
        aria-label="Time range"
        data={EVENT_RANGES.map(({ id, label }) => ({ value: id, label }))}
        value={range ?? ''}
        onChange={(id) => url.set({ range: id === '24h' ? undefined : id, from: undefined, to: undefined }, 'push')}
      />
      <OwnTimes time={asked} isOn={range === undefined} />
    </div>
  );
}
