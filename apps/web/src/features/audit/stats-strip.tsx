import type { auditRoutes, CallOutput } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { useClientNames } from '../../app/use-client-names.ts';
import { texts } from '../../texts/index.ts';
import type { useTableState } from '../../ui/index.ts';
import { State, shortenId } from '../../ui/index.ts';
import classes from './audit.module.css';
import { actionWords } from './entry-words.ts';

const text = texts.audit.statsStrip;

type Stats = CallOutput<typeof auditRoutes.stats>;

interface StatsStripProps {
  readonly stats: Stats;
  readonly state: ReturnType<typeof useTableState>;
}

const SHOWN = 5;

/** How much was done, denied and failed, and by whom; each count narrows the list to it, or widens it again. */
export function StatsStrip({ stats, state }: StatsStripProps) {
  const toggle = (name: string, value: string) => {
    const values = state.filters[name] ?? [];
    state.setFilter(name, values.includes(value) ? values.filter((one) => one !== value) : [...values, value]);
  };
  // Agents that enrol are known by their id.
  const nameOf = useClientNames();
  const isOn = (name: string, value: string) => (state.filters[name] ?? []).includes(value);
  return (
    <section className={classes.stats} aria-label={text.title}>
      <Group title={text.outcomes}>
        {(['denied', 'failed', 'done'] as const).map((outcome) => (
          <Count
            key={outcome}
            count={stats.outcomes[outcome]}
            isOn={isOn('outcome', outcome)}
            onClick={() => toggle('outcome', outcome)}
          >
            <State word={outcome.charAt(0).toUpperCase() + outcome.slice(1)} />
          </Count>
        ))}
      </Group>
      <Group title={text.mostFrequent}>
        {mostFrequent(stats.top_actions).map(([name, count]) => (
          <Count key={name} count={count} isOn={isOn('action', name)} onClick={() => toggle('action', name)}>
            {actionWords(name)}
          </Count>
        ))}
      </Group>
      <Group title={text.mostActive}>
        {mostFrequent(stats.top_users).map(([name, count]) => (
          <Count key={name} count={count} isOn={isOn('user', name)} onClick={() => toggle('user', name)}>
            <bdi>{shortenId(nameOf(name))}</bdi>
          </Count>
        ))}
      </Group>
      <Group title={text.mostTouched}>
        {mostFrequent(stats.top_resources).map(([name, count]) => (
          <Count
            key={name}
            count={count}
            isOn={isOn('resource_type', name)}
            onClick={() => toggle('resource_type', name)}
          >
            {texts.auditActions.noun(name)}
          </Count>
        ))}
      </Group>
    </section>
  );
}

/** Names that are numbers come first in an object, however rare they are. */
function mostFrequent(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN);
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.group} role="group" aria-label={title}>
      <div className={classes.groupTitle}>{title}</div>
      <div className={classes.countsOf}>{children}</div>
    </div>
  );
}

interface CountProps {
  readonly count: number;
  readonly isOn: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Count({ count, isOn, onClick, children }: CountProps) {
  return (
    <button type="button" className={classes.count} aria-pressed={isOn} onClick={onClick}>
      <span className={classes.countName}>{children}</span>
      <span className={classes.number}>{count.toLocaleString()}</span>
    </button>
  );
}
