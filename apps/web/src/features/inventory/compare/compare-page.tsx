import type { TrafficChange, TrafficComparedRange, TrafficComparison } from '@flotilla/contract';
import { Group, SegmentedControl, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Notice, useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { ConsumerLink } from '../consumer-link.tsx';
import { countryName } from '../countries.ts';
import { DiscoveryHint } from '../discovery-hint.tsx';
import { EventsLink } from '../events-link.tsx';
import classes from '../inventory.module.css';
import { ServiceChoice } from '../service-choice.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts as shared } from '../texts.tsx';
import { TrafficRoom } from '../traffic-room.tsx';
import { ChangeList } from './change-list.tsx';
import { OwnRangesControl } from './own-ranges.tsx';
import { type AskedSpan, readSpan, SPAN_INITIAL, SPANS } from './spans.ts';
import { nameRange, SumsTable } from './sums-table.tsx';
import { texts } from './texts.tsx';

const MINUTE_MS = 60_000;
const SKELETON_PX = 560;
const CHANGES_MAX = 20;

/** Two time ranges beside each other. */
export function ComparePage() {
  const can = useCan();
  return (
    <TrafficRoom title={texts.title} lead={texts.lead}>
      {can(routes.trafficInsight.comparison) ? <Compare /> : <Empty title={texts.notAllowed} />}
    </TrafficRoom>
  );
}

function Compare() {
  const url = useUrlState();
  const project = useProject();
  const asked = readSpan(url.get, useNow(MINUTE_MS));
  const service = url.get('service_id');
  const { span: _, ...times } = asked;
  const query = useApi(
    routes.trafficInsight.comparison,
    {
      query: {
        project: project.id,
        ...times,
        top: CHANGES_MAX,
        ...(service !== undefined && { service_id: [service] }),
      },
    },
    { keepPrevious: true },
  );
  return (
    <div className={layout.stack}>
      <Group gap="xs">
        <SpanChoice asked={asked} />
        <OwnRangesControl asked={asked} />
        <ServiceChoice />
      </Group>
      <StoreLoaded query={query} what={texts.what} skeleton={<Skeleton height={SKELETON_PX} />}>
        {({ body }) => <Comparison comparison={body} asked={asked} />}
      </StoreLoaded>
    </div>
  );
}

function SpanChoice({ asked }: { asked: AskedSpan }) {
  const url = useUrlState();
  const noTimes = { from: undefined, to: undefined, base_from: undefined, base_to: undefined };
  return (
    <SegmentedControl
      size="xs"
      aria-label={texts.span}
      data={SPANS.map(({ value, label }) => ({ value, label }))}
      value={asked.span ?? ''}
      onChange={(value) => url.set({ ...noTimes, span: value === SPAN_INITIAL ? undefined : value }, 'push')}
    />
  );
}

interface ComparisonProps {
  readonly comparison: TrafficComparison;
  readonly asked: AskedSpan;
}

function Comparison({ comparison, asked }: ComparisonProps) {
  const { range, base, operations, consumers, countries, limited, sampled } = comparison;
  const isEmpty = range.totals?.requests === 0 && base.totals?.requests === 0;
  if (isEmpty) return <DiscoveryHint otherwise={<NothingCompared comparison={comparison} />} />;
  const lengths = { now: lengthOf(range), base: lengthOf(base) };
  return (
    <>
      <Unread range={range} words="range" />
      <Unread range={base} words="base" />
      <SumsTable comparison={comparison} />
      {lengths.now !== lengths.base && <p className={classes.dim}>{texts.rates}</p>}
      {operations && (
        <ChangeList
          lengths={lengths}
          words={texts.lists.operations}
          changes={operations}
          name={(row) => <OperationName change={row} />}
        />
      )}
      <div className={classes.grid}>
        {consumers && (
          <ChangeList
            lengths={lengths}
            words={texts.lists.consumers}
            changes={consumers}
            name={({ value }) => <ConsumerLink hash={value} search={timesOf(asked)} />}
          />
        )}
        {countries && (
          <ChangeList
            lengths={lengths}
            words={texts.lists.countries}
            changes={countries}
            name={(row) => <CountryName change={row} asked={asked} />}
          />
        )}
      </div>
      {limited !== null && range.state === 'read' && base.state === 'read' && <Notice tone="quiet" title={limited} />}
      {sampled && <p className={classes.dim}>{shared.sampled}</p>}
    </>
  );
}

function NothingCompared({ comparison: { range, base } }: Pick<ComparisonProps, 'comparison'>) {
  return (
    <Empty title={texts.empty.title}>
      {texts.range(nameRange(range))} {texts.base(nameRange(base))} {texts.empty.text}
    </Empty>
  );
}

function Unread({ range: { state }, words }: { range: TrafficComparedRange; words: 'range' | 'base' }) {
  if (state === 'read') return null;
  return (
    <Notice tone="warn" title={(state === 'not_kept' ? texts.notKept : texts.notBegun)[words]}>
      {state === 'not_kept' && texts.keptFor}
    </Notice>
  );
}

const lengthOf = ({ from, to }: TrafficComparedRange) => (Date.parse(to) - Date.parse(from)) / 1000;
const timesOf = ({ from, to }: AskedSpan) => ({ from, to });

/** Names come from requests: they may contain anything, and are shown as text. */
function OperationName({ change: { value, label } }: { change: TrafficChange }) {
  const project = useProject();
  const name = label ?? texts.list.operation;
  return (
    <Link
      to="/p/$project/traffic/endpoints/$endpointId"
      params={{ project: project.name, endpointId: value }}
      title={name}
      className={`mono ${classes.operation}`}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}

function CountryName({ change: { value, change }, asked }: { change: TrafficChange; asked: AskedSpan }) {
  if (value === '') return texts.list.unknownCountry;
  const times = change === 'gone' ? { from: asked.base_from, to: asked.base_to } : timesOf(asked);
  return <EventsLink search={{ ...times, country: value }}>{countryName(value)}</EventsLink>;
}
