import type { FindingView } from '@flotilla/contract';
import { Facts, ProgressBar, Section, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { progressOf } from './finding-look.ts';
import { texts } from './texts.tsx';

const text = texts.evidence;
const DAY_S = 86_400;

const toDays = (seconds: number) => (seconds / DAY_S).toLocaleString('en', { maximumFractionDigits: 1 });
const toText = (number: number) => number.toLocaleString('en');

/** One line for lists: the requests without the flag. */
export function EvidenceCell({ evidence }: Pick<FindingView, 'evidence'>) {
  if (evidence === null) return null;
  if (evidence.no_traffic_since !== null) return <>{text.noTrafficShort}</>;
  return <>{text.short(toText(evidence.requests), toText(evidence.requests_needed))}</>;
}

/** Shows the evidence that the traffic has given, and what is missing. */
export function EvidencePart({ evidence, state }: Pick<FindingView, 'evidence' | 'state'>) {
  if (evidence === null)
    return (
      <Section title={text.title}>
        <p className={layout.note}>{text.gone}</p>
      </Section>
    );
  const percent = Math.round(progressOf(evidence) * 100);
  return (
    <Section title={text.title}>
      <div className={layout.stack}>
        <p className={layout.note}>{state === 'fixed' ? text.fixed : text.open}</p>
        {evidence.no_traffic_since !== null && (
          <p className={layout.note}>{text.noTraffic(<Time at={evidence.no_traffic_since} />)}</p>
        )}
        <ProgressBar label={text.meter} percent={percent} />
        <Facts
          facts={[
            [text.starts[evidence.starts_with], <Time key="start" at={evidence.starts_at} />],
            [text.counts[evidence.counts], text.requests(toText(evidence.requests), toText(evidence.requests_needed))],
            [text.time, text.used(toDays(evidence.used_s), text.days(toDays(evidence.used_s_needed)))],
            ...(evidence.condition === null
              ? []
              : [[text.conditions[evidence.condition], evidence.condition_met ? text.met : text.notMet] as const]),
          ]}
        />
      </div>
    </Section>
  );
}
