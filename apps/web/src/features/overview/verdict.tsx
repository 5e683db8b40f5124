import type { Overview } from '@flotilla/contract';
import { StateShape, Time } from '../../ui/index.ts';
import classes from './overview.module.css';
import { texts } from './texts.tsx';
import type { Trouble } from './troubles.ts';

const words = texts.verdict;

/** Shows in one line that the configuration is up to date, or the problems, worst first. Does not cover upstreams. */
export function Verdict({ overview, troubles }: { overview: Overview; troubles: readonly Trouble[] }) {
  const isBad = troubles.some(({ tone }) => tone === 'bad');
  if (troubles.length === 0)
    return (
      <p className={classes.verdict} role="status">
        <StateShape tone="good" shape="full" />
        <span>
          {words.upToDate(
            overview.settled_at && (
              <span className={classes.dimmed}>{words.applied(<Time at={overview.settled_at} />)}</span>
            ),
          )}
        </span>
      </p>
    );
  return (
    <div className={`${classes.alarm} ${isBad ? classes.bad : classes.warn}`} role="alert">
      <StateShape tone={isBad ? 'bad' : 'warn'} shape="triangle" />
      <ul className={classes.troubles}>
        {troubles.map(({ text, section, tone }) => (
          <li key={text} data-tone={tone}>
            <a href={`#${section}`}>{text}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
