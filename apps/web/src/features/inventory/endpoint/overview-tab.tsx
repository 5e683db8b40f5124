import type { InventoryOperation } from '@flotilla/contract';
import { Columns, Section } from '../../../ui/index.ts';
import { OperationDocuments } from '../../api-documents/index.ts';
import { OperationOwner } from '../../api-teams/index.ts';
import { EndpointFindings } from '../../findings/index.ts';
import { BarList } from '../charts/bar-list.tsx';
import { type Part, PartsBar } from '../charts/parts-bar.tsx';
import { ConsumerLink } from '../consumer-link.tsx';
import { EventsLink } from '../events-link.tsx';
import classes from '../inventory.module.css';
import { STATUS_TONES } from '../looks.ts';
import { EndpointFigures } from './endpoint-figures.tsx';
import { FlagList } from './flag-list.tsx';
import { PosturePart } from './posture-part.tsx';
import { SeenFacts } from './seen-facts.tsx';
import { texts } from './texts.tsx';

const LATENCY_TONES = {
  lt5: 'good',
  lt25: 'good',
  lt100: 'busy',
  lt500: 'busy',
  lt2000: 'warn',
  ge2000: 'bad',
} as const;

type LatencyClass = keyof typeof LATENCY_TONES;

/** The catalogue's facts: they need no store of requests. */
export function OverviewTab({ operation }: { operation: InventoryOperation }) {
  return (
    <div className={classes.parts}>
      <EndpointFigures operation={operation} />
      <Columns isEven aside={<Aside operation={operation} />}>
        <Section title={texts.latency.title}>
          <BarList
            name={texts.latency.title}
            parts={(Object.keys(LATENCY_TONES) as LatencyClass[]).map((name) => ({
              name: texts.latency.classes[name],
              count: operation.latency_buckets[name],
              tone: LATENCY_TONES[name],
            }))}
          />
        </Section>
        <Section title={texts.statuses.title}>
          <PartsBar name={texts.statuses.title} parts={listStatuses(operation)} />
        </Section>
        {!operation.other && <EndpointFindings operationId={operation.id} />}
        <FlagList operation={operation} />
      </Columns>
    </div>
  );
}

function Aside({ operation }: { operation: InventoryOperation }) {
  return (
    <>
      <PosturePart operationId={operation.id} />
      {operation.confirmed && !operation.other && (
        <>
          <OperationDocuments operationId={operation.id} />
          <OperationOwner operationId={operation.id} />
        </>
      )}
      <SeenFacts operation={operation} />
      <Section title={texts.consumers.title}>
        {operation.consumers.length === 0 ? (
          <p className={classes.dim}>{texts.consumers.none}</p>
        ) : (
          <>
            <ul className={classes.chips}>
              {operation.consumers.map((hash) => (
                <li key={hash} className={classes.chip}>
                  <ConsumerLink hash={hash} />
                </li>
              ))}
            </ul>
            <p className={classes.dim}>{texts.consumers.hint}</p>
          </>
        )}
      </Section>
      <Section title={texts.samples.title}>
        {operation.sample_event_ids.length === 0 ? (
          <p className={classes.dim}>{texts.samples.none}</p>
        ) : (
          <ul className={classes.chips}>
            {operation.sample_event_ids.map((id, index) => (
              <li key={id} className={classes.chip}>
                <EventsLink search={{ operation_id: operation.id, event: id, range: '7d' }}>
                  {texts.samples.sample(index + 1)}
                </EventsLink>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

/** The codes of answers, in their order; codes beyond the limit come last. */
export function listStatuses({ status_codes: codes }: Pick<InventoryOperation, 'status_codes'>): readonly Part[] {
  return Object.entries(codes)
    .toSorted(([a], [b]) => Number(a === 'other') - Number(b === 'other') || Number(a) - Number(b))
    .map(([code, count]) => ({ name: nameStatus(code), count, tone: STATUS_TONES[classOf(code)] }));
}

function nameStatus(code: string): string {
  if (code === 'other') return texts.statuses.other;
  return code === '0' ? texts.statuses.none : code;
}

function classOf(code: string): keyof typeof STATUS_TONES {
  const name = `${code[0]}xx`;
  return /^[1-5]\d\d$/.test(code) && name in STATUS_TONES ? (name as keyof typeof STATUS_TONES) : 'none';
}
