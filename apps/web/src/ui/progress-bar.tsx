import classes from './progress-bar.module.css';

interface ProgressBarProps {
  /** Accessible name. */
  readonly label: string;
  readonly percent: number;
}

export function ProgressBar({ label, percent }: ProgressBarProps) {
  return (
    <span className={classes.progress}>
      <progress className={classes.bar} aria-label={label} value={percent} max={100} />
      <span className={classes.percent}>{percent} %</span>
    </span>
  );
}
