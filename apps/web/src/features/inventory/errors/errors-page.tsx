import type { TrafficErrors, TrafficGap } from '@flotilla/contract';
import { routes, useApi } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Section, SeriesChart, useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { formatPercent } from '../charts/parts-bar.tsx';
import { STEP_MS } from '../charts/traffic-lines.ts';
import { Choice, readChoice } from '../choice.tsx';
import { DiscoveryHint } from '../discovery-hint.tsx';
import { Figure } from '../figure.tsx';
import { GapsNotice } from '../gaps-notice.tsx';
import classes from '../inventory.module.css';
import { NoTraffic } from '../no-traffic.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts as shared } from '../texts.tsx';
import { readWindow, toSearch, toZoom } from '../time-window.ts';
import { TrafficRoom } from '../traffic-room.tsx';
import { useGaps } from '../use-gaps.ts';
import { WindowBar } from '../window-bar.tsx';
import { ErrorList } from './error-list.tsx';
import { texts } from './texts.ts';

const MINUTE_MS = 60_000;
const LISTED_MAX = 50;
const LEAST = ['0', '1', '5', '10', '25'].map((value) => ({ value, label: texts.percent(value) }));
const LEAST_INITIAL = '0';

/** Where responses fail. */
export function ErrorsPage() {
  const can = useCan();
  return (
    <TrafficRoom title={texts.title} lead={texts.lead}>
      {can(routes.trafficInsight.errors) ? <Errors /> : <Empty title={texts.notAllowed} />}
    </TrafficRoom>
  );
}

function Errors() {
  const url = useUrlState();
  const project = useProject();
  const asked = readWindow(url.get, useNow(MINUTE_MS));
  const least = readChoice(url.get('least'), LEAST, LEAST_INITIAL);
  const query = useApi(
    routes.trafficInsight.errors,
    {
      query: {
        project: project.id,
        from: asked.from,
        to: asked.to,
        min_error_percentage: Number(least),
        top: LISTED_MAX,
      },
    },
    { keepPrevious: true },
  );
  const gaps = useGaps(asked);
  return (
    <div className={layout.stack}>
      <WindowBar asked={asked}>
        <Choice name="least" label={texts.least} options={LEAST} initial={LEAST_INITIAL} />
      </WindowBar>
      <GapsNotice gaps={gaps} />
      <StoreLoaded query={query} what={texts.what} skeleton={10}>
        {({ body }) =>
          body.summary.requests === 0 ? (
            <DiscoveryHint otherwise={<NoTraffic range={asked.preset} />} />
          ) : (
            <ErrorParts errors={body} gaps={gaps} times={toSearch(asked)} />
          )
        }
      </StoreLoaded>
    </div>
  );
}

type Point = TrafficErrors['points'][number];

interface ErrorPartsProps {
  readonly errors: TrafficErrors;
  readonly gaps: readonly TrafficGap[];
  readonly times: Readonly<Record<string, string>>;
}

function ErrorParts({ errors, gaps, times }: ErrorPartsProps) {
  const url = useUrlState();
  const { summary, points, granularity } = errors;
  const stepOf = (at: string) => Math.floor(Date.parse(at) / STEP_MS[granularity]);
  const lost = new Set(gaps.map(({ at }) => stepOf(at)));
  const isGap = (point: Point) => point.requests === 0 && lost.has(stepOf(point.at));
  const draw = (read: (point: Point) => number) => points.map((point) => (isGap(point) ? null : read(point)));
  const number = (value: number) => Math.round(value).toLocaleString('en');
  const share = (value: number) => formatPercent(value / Math.max(1, summary.requests));
  return (
    <>
      <dl className={classes.figures} aria-label={texts.figures.title}>
        <Figure name={texts.figures.requests}>{number(summary.requests)}</Figure>
        <Figure name={texts.figures.share}>{share(summary.client_errors + summary.server_errors)}</Figure>
        <Figure name={texts.figures.server} note={share(summary.server_errors)}>
          <span className={classes.errors} data-tone={summary.server_errors > 0 ? 'bad' : undefined}>
            {number(summary.server_errors)}
          </span>
        </Figure>
        <Figure name={texts.figures.client} note={share(summary.client_errors)}>
          {number(summary.client_errors)}
        </Figure>
      </dl>
      <Section title={texts.chart}>
        <SeriesChart
          title={texts.chart}
          times={points.map(({ at }) => at)}
          series={[
            { label: texts.client, color: '--f-warn', values: draw((point) => point.client_errors) },
            { label: texts.server, color: '--f-bad', values: draw((point) => point.server_errors) },
          ]}
          format={number}
          isCount
          hasGaps={points.some(isGap)}
          onZoom={(from, to) => url.set({ ...toZoom(from, to), range: undefined }, 'push')}
        />
      </Section>
      <ErrorList items={errors.items} times={times} />
      {errors.truncated && <p className={classes.dim}>{shared.truncated}</p>}
      {errors.sampled && <p className={classes.dim}>{shared.sampled}</p>}
    </>
  );
}
