import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Lists names and values. Omits undefined values. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === null || value === '' ? '–' : value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
