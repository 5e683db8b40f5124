import type { ReactNode } from 'react';
import type { Tone } from '../../../ui/index.ts';
import classes from './charts.module.css';

interface ShareBarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly tone?: Tone;
  readonly children: ReactNode;
}

/** A number with a bar of its share. The number says everything; the bar is for the eye. */
export function ShareBar({ share, tone = 'busy', children }: ShareBarProps) {
  const percent = Math.min(Math.max(share, 0), 1) * 100;
  return (
    <div className={classes.share}>
      <div className={classes.shareTrack} aria-hidden="true">
        {percent > 0 && <div className={`${classes.shareBar} ${classes[tone]}`} style={{ width: `${percent}%` }} />}
      </div>
      <span className={classes.number}>{children}</span>
    </div>
  );
}
