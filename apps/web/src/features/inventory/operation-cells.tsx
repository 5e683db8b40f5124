import { StateShape, Time } from '../../ui/index.ts';
import { formatPercent } from './charts/parts-bar.tsx';
import classes from './inventory.module.css';
import { isFresh, toneOfErrors } from './looks.ts';
import { texts } from './texts.tsx';

/** The share of answers with 5xx, which stands out from 0.1 % on. */
export function ErrorRate({ rate }: { rate: number }) {
  return (
    <span className={classes.errors} data-tone={toneOfErrors(rate)}>
      {formatPercent(rate)}
    </span>
  );
}

/** When an operation was last seen, with a full dot within an hour. */
export function LastSeen({ at }: { at: string }) {
  const fresh = isFresh(at, Date.now());
  return (
    <span className={classes.seen}>
      <StateShape tone={fresh ? 'good' : 'quiet'} shape={fresh ? 'full' : 'ring'} />
      <span className="visually-hidden">{fresh ? texts.lastSeen.fresh : texts.lastSeen.quiet}</span>
      <Time at={at} />
    </span>
  );
}
