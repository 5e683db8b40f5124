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
import { texts } from './texts.tsx';
import { useShieldEvents } from './use-shield-events.ts';

const text = texts.eventsPage;

const STRIP_PX = 150;

export function ShieldEventsPage() {
  const project = useProject();
  const can = useCan();
  return (
    <Page
      title={text.page.title}
      lead={text.page.lead}
      isWide
      actions={
        can(routes.shieldTrial.try) && (
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/p/$project/shield/try" params={{ project: project.name }} {...props} />}
          >
            {text.page.tryRequest}
          </Button>
        )
      }
    >
      {can(routes.shieldEvent.list) ? <Events /> : <Empty title={text.page.notAllowed} />}
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
      <Loaded query={summary} what={text.list.what} skeleton={<Skeleton height={STRIP_PX} />}>
        {({ body }) => <SummaryStrip summary={body} state={state} />}
      </Loaded>
      <div
        ref={frame}
        className={classes.list}
        onScrollCapture={(event) => onScroll((event.target as HTMLElement).scrollTop)}
      >
        <DataTable
          name={text.list.name}
          list={{ ...list, rows, total }}
          state={state}
          columns={EVENT_COLUMNS}
          filters={filters}
          rowId={(row) => row.id}
          searches={text.list.searches}
          actions={
            waiting > 0 && (
              <Button variant="light" onClick={showNew}>
                {text.list.showNew(waiting)}
              </Button>
            )
          }
          empty={
            <Empty
              title={text.list.emptyTitle}
              action={
                url.get('range') === '7d' ? (
                  <Link to="/p/$project/policies" params={{ project: project.name }}>
                    {text.list.showPolicies}
                  </Link>
                ) : (
                  <Button variant="default" onClick={() => url.set({ range: '7d', from: undefined, to: undefined })}>
                    {text.list.showWeek}
                  </Button>
                )
              }
            >
              {text.list.empty}
            </Empty>
          }
        />
      </div>
      <p className={classes.dimmed}>{text.list.howLongKept}</p>
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
        aria-label={text.ranges.title}
        data={EVENT_RANGES.map(({ id, label }) => ({ value: id, label }))}
        value={range ?? ''}
        onChange={(id) => url.set({ range: id === '24h' ? undefined : id, from: undefined, to: undefined }, 'push')}
      />
      <OwnTimes time={asked} isOn={range === undefined} />
    </div>
  );
}
