import type { JobView } from '@flotilla/contract';
import { texts } from '../../texts/index.ts';
import { State } from '../../ui/index.ts';
import { LOOKS } from './job-model.ts';
import classes from './jobs.module.css';

export function JobState({ status }: { status: JobView['status'] }) {
  const [word, why] = texts.jobs.status[status];
  return <State word={word} why={why} {...LOOKS[status]} />;
}

export function JobProgress({ progress }: { progress: JobView['progress'] }) {
  if (progress.total === 0) return '–';
  return (
    <span className={classes.progress}>
      <progress className={classes.bar} aria-label={texts.jobs.progress} value={progress.percent} max={100} />
      <span className={classes.percent}>{progress.percent} %</span>
    </span>
  );
}
