import type { PolicyDetections } from '@flotilla/contract';
import { Fragment } from 'react';
import { ServiceLink } from '../../app/links.tsx';
import {
  Empty,
  Facts,
  Notice,
  type PlainColumn,
  PlainTable,
  Section,
  SeriesChart,
  State,
  Time,
} from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { ConsumerLink } from '../inventory/index.ts';
import { BlockButton } from './block-button.tsx';
import { texts } from './texts.tsx';

const text = texts.detections;
const number = (value: number | null) => (value === null ? text.unknown : value.toLocaleString('en'));

type Check = PolicyDetections['checks'][number];
const CHECKS: readonly PlainColumn<Check>[] = [
  { id: 'check', header: text.check, isNarrow: true, cell: ({ check }) => text.checkNames[check] },
  { id: 'needed', header: text.needed, align: 'right', cell: ({ needed }) => number(needed) },
  { id: 'found', header: text.found, align: 'right', isNarrow: true, cell: ({ found }) => number(found) },
  {
    id: 'state',
    header: text.state,
    isNarrow: true,
    cell: ({ passed }) =>
      passed ? (
        <State word={text.passed} tone="good" shape="full" />
      ) : (
        <State word={text.open} tone="warn" shape="triangle" />
      ),
  },
];

type Found = PolicyDetections['by_route'][number];
const listColumns = (header: string): readonly PlainColumn<Found>[] => [
  {
    id: 'name',
    header,
    isNarrow: true,
    cell: ({ name }) => <bdi className="mono">{name === '' ? text.ofDomain : name}</bdi>,
  },
  { id: 'events', header: text.findings, align: 'right', isNarrow: true, cell: ({ events }) => number(events) },
  { id: 'last', header: text.last, cell: ({ last_at: at }) => <Time at={at} /> },
];
const ROUTES = listColumns(text.route);
const ENGINES = listColumns(text.engine);

type Consumer = NonNullable<PolicyDetections['requests']>['consumers'][number];
const CONSUMERS: readonly PlainColumn<Consumer>[] = [
  {
    id: 'consumer',
    header: text.consumer,
    isNarrow: true,
    cell: ({ consumer }) => <ConsumerLink hash={consumer ?? ''} />,
  },
  { id: 'requests', header: text.requests, align: 'right', isNarrow: true, cell: ({ requests }) => number(requests) },
  {
    id: 'succeeded',
    header: text.succeeded,
    align: 'right',
    isNarrow: true,
    cell: ({ succeeded }) => number(succeeded),
  },
  { id: 'credentials', header: text.credentials, align: 'right', cell: (row) => number(row.authenticated) },
];

/** Whether a policy is safe to block, and everything that this rests on. */
export function DetectionsView({ detections }: { readonly detections: PolicyDetections }) {
  const { policy, checks, requests } = detections;
  return (
    <div className={layout.stack}>
      <Verdict detections={detections} />
      {detections.without_traffic !== null && (
        <Notice tone="warn" title={text.withoutTraffic}>
          {detections.without_traffic}
        </Notice>
      )}
      <Facts
        facts={[
          [text.inspected, number(detections.inspected)],
          [text.detected, number(detections.detected)],
          [text.blocked, number(detections.blocked)],
          [text.requestsFound, requests && text.requestsOf(requests.found, requests.succeeded, requests.anonymous)],
          [text.services, <Services key="services" services={policy.services} />],
        ]}
      />
      <Section title={text.checks}>
        <PlainTable name={text.checks} rows={checks} columns={CHECKS} rowId={({ check }) => check} />
      </Section>
      {detections.detected + detections.blocked === 0 ? (
        <Empty title={text.nothing}>{text.nothingText}</Empty>
      ) : (
        <>
          <Trend detections={detections} />
          <Section title={text.byRoute}>
            <PlainTable name={text.byRoute} rows={detections.by_route} columns={ROUTES} rowId={({ name }) => name} />
          </Section>
          <Section title={text.byEngine}>
            <PlainTable
              name={text.byEngine}
              rows={[...detections.by_engine, ...detections.by_reason]}
              columns={ENGINES}
              rowId={({ name }) => name}
            />
          </Section>
          {requests !== null && requests.consumers.length > 0 && (
            <Section title={text.consumers}>
              <PlainTable
                name={text.consumers}
                rows={requests.consumers}
                columns={CONSUMERS}
                rowId={({ consumer }) => consumer ?? ''}
              />
            </Section>
          )}
        </>
      )}
    </div>
  );
}

function Verdict({ detections }: { readonly detections: PolicyDetections }) {
  const { policy, safe_to_block: isSafe } = detections;
  if (policy.detect_parts === 0) return <Notice tone="quiet" title={text.blocking} />;
  return (
    <Notice tone={isSafe ? 'good' : 'warn'} title={isSafe ? text.safe : text.notSafe}>
      <BlockButton detections={detections} />
    </Notice>
  );
}

function Services({ services }: { readonly services: PolicyDetections['policy']['services'] }) {
  if (services.length === 0) return text.none;
  return services.map(({ id, name }, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <ServiceLink id={id} name={name} />
    </Fragment>
  ));
}

function Trend({ detections: { trend } }: { readonly detections: PolicyDetections }) {
  return (
    <SeriesChart
      title={text.trend}
      times={trend.map(({ at }) => at)}
      series={[
        { label: text.trendDetected, color: '--f-warn', values: trend.map(({ detected }) => detected) },
        { label: text.trendBlocked, color: '--f-bad', values: trend.map(({ blocked }) => blocked) },
      ]}
      format={(value) => value.toLocaleString('en')}
      isCount
    />
  );
}
