import type { ShieldEventSummary } from '@flotilla/contract';
import type { useTableState } from '../../ui/index.ts';
import { State } from '../../ui/index.ts';
import classes from './events.module.css';
import { texts } from './texts.tsx';

const text = texts.summaryStrip;

interface SummaryStripProps {
  readonly summary: ShieldEventSummary;
  readonly state: ReturnType<typeof useTableState>;
}

const SHOWN = 5;
const VERDICTS = [
  { value: 'blocked', word: text.verdicts.blocked, tone: 'bad', shape: 'full', field: 'blocked' },
  { value: 'detected', word: text.verdicts.detected, tone: 'warn', shape: 'half', field: 'detected' },
  { value: 'error', word: text.verdicts.failed, tone: 'bad', shape: 'triangle', field: 'errors' },
] as const;
const GROUPS = [
  { filter: 'reason', title: text.groups.reasons, field: 'by_reason' },
  { filter: 'source_ip', title: text.groups.addresses, field: 'by_source_ip' },
  { filter: 'host', title: text.groups.hosts, field: 'by_host' },
  { filter: 'policy', title: text.groups.policies, field: 'by_policy' },
] as const;

/** Shows counts of blocked requests and their sources. Each count toggles a filter of the list. */
export function SummaryStrip({ summary, state }: SummaryStripProps) {
  const isOn = (name: string, value: string) => (state.filters[name] ?? []).includes(value);
  const toggle = (name: string, value: string) => state.setFilter(name, isOn(name, value) ? [] : [value]);
  return (
    <section className={classes.strip} aria-label={text.strip.title}>
      <div className={classes.group}>
        <div className={classes.groupTitle}>{text.strip.verdicts}</div>
        {VERDICTS.map(({ value, word, tone, shape, field }) => (
          <Count
            key={value}
            isOn={isOn('verdict', value)}
            count={summary.totals[field]}
            onClick={() => toggle('verdict', value)}
          >
            <State word={word} tone={tone} shape={shape} />
          </Count>
        ))}
      </div>
      {summary.dropped > 0 && (
        <div className={classes.group}>
          <div className={classes.groupTitle}>{text.strip.notListed}</div>
          <span title={text.strip.notListedHint}>{text.strip.more(summary.dropped.toLocaleString())}</span>
        </div>
      )}
      {GROUPS.map(({ filter, title, field }) => (
        <div key={filter} className={classes.group}>
          <div className={classes.groupTitle}>{title}</div>
          {summary[field].groups
            .filter(({ name }) => name !== '')
            .slice(0, SHOWN)
            .map(({ name, label, events }) => (
              <Count key={name} isOn={isOn(filter, name)} count={events} onClick={() => toggle(filter, name)}>
                <bdi title={label}>{label}</bdi>
              </Count>
            ))}
          {summary[field].groups.every(({ name }) => name === '') && (
            <span className={classes.dimmed}>{text.strip.none}</span>
          )}
        </div>
      ))}
    </section>
  );
}

interface CountProps {
  readonly count: number;
  readonly isOn: boolean;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}

function Count({ count, isOn, onClick, children }: CountProps) {
  return (
    <button type="button" className={classes.count} aria-pressed={isOn} onClick={onClick}>
      <span className={classes.countName}>{children}</span>
      <span className={classes.number}>{count.toLocaleString()}</span>
    </button>
  );
}
