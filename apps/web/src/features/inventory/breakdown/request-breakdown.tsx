import { Skeleton } from '@mantine/core';
import { routes, useApi } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Section, useNow } from '../../../ui/index.ts';
import { DiscoveryHint } from '../discovery-hint.tsx';
import { EventsLink } from '../events-link.tsx';
import classes from '../inventory.module.css';
import { NoTraffic } from '../no-traffic.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts as shared } from '../texts.tsx';
import { type AskedWindow, readWindow, type TimeWindow, toSearch } from '../time-window.ts';
import { WindowBar } from '../window-bar.tsx';
import { BREAKDOWNS, type Breakdown, BreakdownTable } from './breakdown-table.tsx';
import { texts } from './texts.ts';

const MINUTE_MS = 60_000;

interface RequestBreakdownProps {
  /** The service or client, as a filter of requests. */
  readonly filters: Readonly<Record<string, string>>;
  /** The range of a page that has a choice of its own. Default: the range of the URL, with a choice. */
  readonly window?: TimeWindow;
}

/** Lists the endpoints, routes, consumers and statuses of a service or a client, which only single requests show. */
export function RequestBreakdown({ filters, window: given }: RequestBreakdownProps) {
  const url = useUrlState();
  const can = useCan();
  const asked = readWindow(given === undefined ? url.get : toGetter(given), useNow(MINUTE_MS));
  if (!can(routes.trafficInsight.top)) return null;
  return (
    <Section title={texts.title}>
      {given === undefined && <WindowBar asked={asked} />}
      <p className={classes.dim}>
        {texts.note}
        {given !== undefined && asked.isCut && ` ${shared.windowBar.cut}`}
      </p>
      <Totals asked={asked} filters={filters} canWiden={given === undefined} />
    </Section>
  );
}

const toGetter = (window: TimeWindow) => (name: string) =>
  name === 'from' || name === 'to' ? window[name] : undefined;

interface PartProps {
  readonly asked: AskedWindow;
  readonly filters: Readonly<Record<string, string>>;
}

function useTop({ asked: { from, to }, filters }: PartProps, by: Breakdown['by']) {
  const project = useProject();
  return useApi(
    routes.trafficInsight.top,
    { query: { project: project.id, from, to, by, ...filters } as never },
    { keepPrevious: true },
  );
}

/** The first table shows whether there are requests at all; the others are read only then. */
function Totals({ canWiden, ...props }: PartProps & { canWiden: boolean }) {
  const { asked, filters } = props;
  const [first, ...others] = BREAKDOWNS;
  const query = useTop(props, first.by);
  return (
    <StoreLoaded query={query} what={texts.what} skeleton={<Skeleton height={240} />}>
      {({ body }) =>
        body.totals.requests === 0 ? (
          <DiscoveryHint otherwise={<NoTraffic range={canWiden ? asked.preset : '7d'} />} />
        ) : (
          <>
            <div className={classes.grid}>
              <BreakdownTable of={first} top={body} search={{ ...filters, ...toSearch(asked) }} />
              {others.map((one) => (
                <Part key={one.by} of={one} {...props} />
              ))}
            </div>
            <EventsLink search={{ ...filters, ...toSearch(asked) }}>{texts.all}</EventsLink>
          </>
        )
      }
    </StoreLoaded>
  );
}

function Part({ of, ...props }: PartProps & { of: Breakdown }) {
  const query = useTop(props, of.by);
  return (
    <StoreLoaded isPart query={query} what={texts.what} skeleton={6}>
      {({ body }) => <BreakdownTable of={of} top={body} search={{ ...props.filters, ...toSearch(props.asked) }} />}
    </StoreLoaded>
  );
}
