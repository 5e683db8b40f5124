import type { TrafficGap, TrafficOverview } from '@flotilla/contract';
import { Notice, Section } from '../../../ui/index.ts';
import { PartsBar } from '../charts/parts-bar.tsx';
import { TrafficCharts } from '../charts/traffic-charts.tsx';
import { DecisionsSection } from '../decisions/decisions-section.tsx';
import { GapsNotice } from '../gaps-notice.tsx';
import classes from '../inventory.module.css';
import { LatencyMap } from '../latency/latency-map.tsx';
import { STATUS_TONES } from '../looks.ts';
import { texts as shared } from '../texts.tsx';
import type { AskedWindow } from '../time-window.ts';
import { OverviewFigures } from './overview-figures.tsx';
import { OverviewTops } from './overview-tops.tsx';
import { texts } from './texts.tsx';

const CHARTS = ['requests', 'latency', 'errors', 'bytes'] as const;

interface OverviewPartsProps {
  readonly overview: TrafficOverview;
  readonly gaps: readonly TrafficGap[];
  readonly asked: AskedWindow;
  /** Filters of the page, as parameters of the API. */
  readonly filters: Readonly<Record<string, string>>;
  readonly now: number;
}

export function OverviewParts({ overview, gaps, asked, filters, now }: OverviewPartsProps) {
  return (
    <>
      <GapsNotice gaps={gaps} />
      <OverviewFigures overview={overview} now={now} />
      <TrafficCharts answer={overview} gaps={gaps} now={now} kinds={CHARTS} />
      <LatencyMap window={asked} filters={filters} gaps={gaps} />
      <DecisionsSection asked={asked} filters={filters} gaps={gaps} />
      <Section title={texts.statuses}>
        <PartsBar
          name={texts.statuses}
          parts={overview.status_classes.map(({ status_class: name, requests }) => ({
            name: shared.statusClasses[name],
            count: requests,
            tone: STATUS_TONES[name],
          }))}
        />
      </Section>
      <OverviewTops overview={overview} asked={asked} />
      {overview.sampled && <p className={classes.dim}>{shared.sampled}</p>}
      {overview.limited !== null && <Notice tone="quiet" title={overview.limited} />}
    </>
  );
}
