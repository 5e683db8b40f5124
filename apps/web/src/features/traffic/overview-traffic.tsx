import type { TrafficService } from '@flotilla/contract';
import { Stack } from '@mantine/core';
import { ServiceLink } from '../../app/links.tsx';
import { Loaded, type PlainColumn, PlainTable, Section } from '../../ui/index.ts';
import { FiguresRow } from './figures-row.tsx';
import { sumServices } from './sum-services.ts';
import { texts } from './texts.tsx';
import { TrafficCharts } from './traffic-charts.tsx';
import { ERRORS, P95, RATE, SPARKLINE } from './traffic-columns.tsx';
import { useTrafficSummary } from './use-traffic.ts';

const text = texts.section;

const BUSIEST = 5;

const COLUMNS: readonly PlainColumn<TrafficService>[] = [
  {
    id: 'service',
    header: text.service,
    isNarrow: true,
    cell: (one) => <ServiceLink id={one.service_id} name={one.service_name} tab="traffic" />,
  },
  RATE,
  ERRORS,
  P95,
  SPARKLINE,
];

/** Shows the traffic of the project: current numbers, charts and the busiest services. */
export function OverviewTraffic() {
  const summary = useTrafficSummary();
  return (
    <Section title={text.title}>
      <Stack gap="md">
        <Loaded query={summary} what={text.what} skeleton={2}>
          {({ body: { services } }) => <FiguresRow stats={sumServices(services)} />}
        </Loaded>
        <TrafficCharts subject={{}} />
        {summary.data && <Busiest services={summary.data.body.services} />}
      </Stack>
    </Section>
  );
}

function Busiest({ services }: { services: readonly TrafficService[] }) {
  const busiest = services
    .filter((one) => one.requests_per_s !== null)
    .toSorted((a, b) => (b.requests_per_s ?? 0) - (a.requests_per_s ?? 0))
    .slice(0, BUSIEST);
  if (busiest.length === 0) return null;
  return <PlainTable name={text.busiest} rows={busiest} columns={COLUMNS} rowId={(one) => one.service_id} />;
}
