import type { auditRoutes, CallOutput } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { useClientNames } from '../../app/use-client-names.ts';
import { auditActions } from '../../changes/action-texts.ts';
import type { useTableState } from '../../ui/index.ts';
import { State, shortenId } from '../../ui/index.ts';
import classes from './audit.module.css';
import { actionWords } from './entry-words.ts';
import { mostFrequent } from './most-frequent.ts';
import { texts } from './texts.tsx';

const text = texts.statsStrip;

type Stats = CallOutput<typeof auditRoutes.stats>;

interface StatsStripProps {
  readonly stats: Stats;
  readonly state: ReturnType<typeof useTableState>;
}

/** Shows counts by outcome and actor. Each count toggles a filter of the list. */
export function StatsStrip({ stats, state }: StatsStripProps) {
  const isOn = (name: string, ...values: readonly string[]) =>
    values.every((value) => state.filters[name]?.includes(value));
  const toggle = (name: string, ...values: readonly string[]) => {
    const others = (state.filters[name] ?? []).filter((one) => !values.includes(one));
    state.setFilter(name, isOn(name, ...values) ? others : [...others, ...values]);
  };
  // Enrolling agents are recorded by their ID.
  const nameOf = useClientNames();
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
        {mostFrequent(stats.top_actions).map(({ name, count }) => (
          <Count key={name} count={count} isOn={isOn('action', name)} onClick={() => toggle('action', name)}>
            {actionWords(name)}
          </Count>
        ))}
      </Group>
      <Group title={text.mostActive}>
        {mostFrequent(stats.top_users, nameOf).map(({ name, count, values }) => (
          <Count key={name} count={count} isOn={isOn('user', ...values)} onClick={() => toggle('user', ...values)}>
            <bdi>{shortenId(name)}</bdi>
          </Count>
        ))}
      </Group>
      <Group title={text.mostTouched}>
        {mostFrequent(stats.top_resources).map(({ name, count }) => (
          <Count
            key={name}
            count={count}
            isOn={isOn('resource_type', name)}
            onClick={() => toggle('resource_type', name)}
          >
            {auditActions.noun(name)}
          </Count>
        ))}
      </Group>
    </section>
  );
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
