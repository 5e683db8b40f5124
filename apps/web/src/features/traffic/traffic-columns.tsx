import type { TrafficName, TrafficService } from '@flotilla/contract';
import type { ReactNode } from 'react';
import type { Column, PlainColumn } from '../../ui/index.ts';
import { formatMs, formatRate, formatShare } from './figures.ts';
import { Sparkline } from './sparkline.tsx';
import { texts } from './texts.tsx';

const text = texts.columns;

/** Returns columns with the current traffic of each service. */
export function listTrafficColumns<T extends { readonly id: string }>(
  trafficOf: ReadonlyMap<string, TrafficService>,
): readonly Column<T>[] {
  const cell = (show: (traffic: TrafficService) => ReactNode) => (row: T) => {
    const traffic = trafficOf.get(row.id);
    return traffic ? show(traffic) : texts.figures.unknown;
  };
  return [
    {
      id: 'requests',
      header: text.rate,
      width: 84,
      align: 'right',
      isNarrow: true,
      cell: cell((one) => formatRate(one.requests_per_s)),
      text: (row) => trafficOf.get(row.id)?.requests_per_s,
    },
    {
      id: 'error_share',
      header: text.errors,
      width: 76,
      align: 'right',
      cell: cell((one) => <ErrorShare share={one.error_share} />),
      text: (row) => trafficOf.get(row.id)?.error_share,
    },
    {
      id: 'p95',
      fromPx: 1200,
      header: text.p95,
      width: 84,
      align: 'right',
      cell: cell((one) => formatMs(one.p95_ms)),
      text: (row) => trafficOf.get(row.id)?.p95_ms,
    },
    {
      id: 'sparkline',
      fromPx: 1200,
      header: text.sparkline,
      width: 112,
      cell: cell((one) => <Sparkline values={one.sparkline} errors={one.errors_sparkline} />),
    },
  ];
}

type Traffic = TrafficName | TrafficService;

export const RATE: PlainColumn<Traffic> = {
  id: 'rate',
  header: text.rate,
  align: 'right',
  isNarrow: true,
  cell: (one) => formatRate(one.requests_per_s),
};

export const ERRORS: PlainColumn<Traffic> = {
  id: 'errors',
  header: text.errors,
  align: 'right',
  isNarrow: true,
  cell: (one) => <ErrorShare share={one.error_share} />,
};

export const P95: PlainColumn<Traffic> = {
  id: 'p95',
  header: text.p95,
  align: 'right',
  cell: (one) => formatMs(one.p95_ms),
};

export const SPARKLINE: PlainColumn<Traffic> = {
  id: 'sparkline',
  header: text.sparkline,
  cell: (one) => <Sparkline values={one.sparkline} errors={one.errors_sparkline} />,
};

/** Emphasizes that there are errors, by weight and colour. */
export function ErrorShare({ share }: { share: number | null }) {
  if (!share) return formatShare(share);
  return <strong style={{ color: 'var(--f-bad)' }}>{formatShare(share)}</strong>;
}
