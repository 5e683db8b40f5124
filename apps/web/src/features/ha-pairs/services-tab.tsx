import type { HaPair } from '@flotilla/contract';
import { Button, Text } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useCan } from '../../app/project.tsx';
import {
  Empty,
  Loaded,
  type PlainColumn,
  PlainTable,
  Problem,
  Section,
  State,
  Time,
  useSending,
  useWrite,
} from '../../ui/index.ts';
import classes from './ha-pairs.module.css';
import { BAD, GOOD, WARN } from './looks.ts';
import type { PairService, PendingWork } from './model.ts';
import { texts } from './texts.ts';
import { listStale, usePairPlace } from './use-pairs.ts';

const text = texts.services;

export function ServicesTab({ pair }: { pair: HaPair }) {
  const place = usePairPlace(pair);
  const found = useApi(routes.ha.services, place, { topics: ['ha_pair', 'service', 'node'] });
  return (
    <div className={classes.sections}>
      <Section title={text.title}>
        <Loaded query={found} what={text.what}>
          {({ body: { items } }) =>
            items.length === 0 ? (
              <Empty title={text.none}>{text.noneText}</Empty>
            ) : (
              <PlainTable name={text.title} rows={items} columns={COLUMNS} rowId={({ service_id: id }) => id} />
            )
          }
        </Loaded>
      </Section>
      <Pending pair={pair} />
    </div>
  );
}

const COLUMNS: readonly PlainColumn<PairService>[] = [
  {
    id: 'service',
    header: text.service,
    isNarrow: true,
    cell: ({ service_id: id, service, members }) => (
      <>
        <ServiceLink id={id} name={service} />
        <div className={classes.dim}>
          {members.map(({ client_id, client, deployed, phase, ready }) => (
            <div key={client_id}>
              <bdi>{client}</bdi>: {deployed ? text.deployed(phase, ready) : text.notDeployed}
            </div>
          ))}
        </div>
      </>
    ),
  },
  { id: 'version', header: text.version, cell: ({ version }) => <span className="mono">{version}</span> },
  {
    id: 'addresses',
    header: text.addresses,
    isNarrow: true,
    cell: ({ addresses }) =>
      addresses.map((one) => (
        <div key={one} className="mono">
          {one}
        </div>
      )),
  },
  {
    id: 'holder',
    header: text.holder,
    cell: ({ holder, members }) => <bdi>{members.find(({ client_id: id }) => id === holder)?.client ?? '–'}</bdi>,
  },
  {
    id: 'health',
    header: text.health,
    isNarrow: true,
    cell: ({ healthy, draining }) => (
      <>
        <State word={healthy ? text.healthy : text.unhealthy} {...(healthy ? GOOD : BAD)} />
        {draining && <State word={text.draining} {...WARN} />}
      </>
    ),
  },
];

function Pending({ pair }: { pair: HaPair }) {
  const can = useCan();
  const write = useWrite();
  const sending = useSending();
  const place = usePairPlace(pair);
  const { pending } = pair.sync;
  const retry = () =>
    sending.send(() => write(routes.ha.sync, place, { done: texts.pending.retried, stale: listStale() }));
  return (
    <Section
      title={texts.pending.title}
      actions={
        pending.length > 0 &&
        can(routes.ha.sync) && (
          <Button variant="default" loading={sending.isBusy} onClick={() => void retry()}>
            {texts.pending.retry}
          </Button>
        )
      }
    >
      <Text size="sm" c="dimmed">
        {pending.length === 0 ? texts.pending.none : texts.pending.lead}
      </Text>
      {sending.error !== undefined && <Problem error={sending.error} what={texts.pending.failed} />}
      {pending.length > 0 && (
        <PlainTable
          name={texts.pending.title}
          rows={pending}
          columns={PENDING_COLUMNS}
          rowId={({ client_id: client, service_id: service, op }) => `${client} ${service} ${op}`}
        />
      )}
    </Section>
  );
}

const PENDING_COLUMNS: readonly PlainColumn<PendingWork>[] = [
  {
    id: 'work',
    header: texts.pending.work,
    isNarrow: true,
    cell: ({ op, service, service_id: id }) => (
      <>
        {texts.pending.operations[op]} <ServiceLink id={id} name={service} />
      </>
    ),
  },
  { id: 'member', header: texts.pending.member, isNarrow: true, cell: ({ client }) => <bdi>{client}</bdi> },
  { id: 'since', header: texts.pending.since, cell: ({ since }) => <Time at={since} /> },
  {
    id: 'attempts',
    header: texts.pending.attempts,
    align: 'right',
    isNarrow: true,
    cell: ({ attempts }) => attempts.toLocaleString('en'),
  },
  { id: 'error', header: texts.pending.error, isNarrow: true, cell: ({ last_error: error }) => error ?? '–' },
  { id: 'next', header: texts.pending.next, cell: ({ next_attempt_at: at }) => <Time at={at} empty="–" /> },
];
