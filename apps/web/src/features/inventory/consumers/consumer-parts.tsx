import type { TrafficConsumerDetail } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { Time } from '../../../ui/index.ts';
import { GroupTable } from '../charts/group-table.tsx';
import { formatPercent } from '../charts/parts-bar.tsx';
import { TopTable } from '../charts/top-table.tsx';
import { Figure } from '../figure.tsx';
import classes from '../inventory.module.css';
import { formatLatency } from '../looks.ts';
import { OperationLink } from '../operation-name.tsx';
import { texts as shared } from '../texts.tsx';
import { texts } from './texts.tsx';

const text = texts.detail;

interface ConsumerPartsProps {
  readonly consumer: TrafficConsumerDetail;
  readonly seen: NonNullable<TrafficConsumerDetail['seen']>;
  readonly times: Readonly<Record<string, string>>;
}

export function ConsumerParts({ consumer, seen, times }: ConsumerPartsProps) {
  const sums = { total: seen.requests, search: { ...times, consumer: consumer.consumer } };
  return (
    <>
      <ConsumerFigures seen={seen} />
      <TopTable
        title={text.operations}
        rows={consumer.operations}
        rowId={({ operation_id: id }) => id}
        name={{ header: text.endpoint, cell: (row) => <OperationLink of={{ ...row, id: row.operation_id }} isWhole /> }}
        requests={text.requests}
        none={text.nothing}
      />
      <div className={classes.grid}>
        <GroupTable by="methods" groups={consumer.methods} {...sums} />
        <GroupTable by="statuses" groups={consumer.statuses} {...sums} />
        <GroupTable by="countries" groups={consumer.countries} {...sums} />
        <GroupTable by="networks" groups={consumer.networks} {...sums} />
        <GroupTable by="agents" groups={consumer.agent_kinds} {...sums} />
        <GroupTable by="schemes" groups={consumer.auth_schemes} {...sums} />
        <GroupTable by="sources" groups={consumer.sources} {...sums} />
      </div>
      {consumer.truncated && <p className={classes.dim}>{shared.truncated}</p>}
      {consumer.sampled && <p className={classes.dim}>{shared.sampled}</p>}
    </>
  );
}

function ConsumerFigures({ seen }: Pick<ConsumerPartsProps, 'seen'>) {
  const number = (value: number): ReactNode => Math.round(value).toLocaleString('en');
  return (
    <dl className={classes.figures} aria-label={text.figures}>
      <Figure name={text.requests}>{number(seen.requests)}</Figure>
      <Figure name={text.errors}>{formatPercent(seen.server_error_share)}</Figure>
      <Figure name={text.clientErrors}>{formatPercent(seen.client_error_share)}</Figure>
      <Figure name={text.latency}>{formatLatency(seen.p95_ms)}</Figure>
      <Figure name={text.peak}>{number(seen.peak_per_minute)}</Figure>
      <Figure name={text.endpoints}>{number(seen.distinct_operations)}</Figure>
      <Figure name={text.objects}>{number(seen.distinct_objects)}</Figure>
      <Figure name={text.sources}>{number(seen.distinct_sources)}</Figure>
      <Figure name={text.authFailures}>{number(seen.auth_failures)}</Figure>
      <Figure name={text.critical}>{number(seen.critical_requests)}</Figure>
      <Figure name={text.threatHits}>{number(seen.threat_intel_hits)}</Figure>
      <Figure name={text.seen}>
        <Time at={seen.last_seen} />
      </Figure>
    </dl>
  );
}
