import type { JobView } from '@flotilla/contract';
import { texts } from '../../texts/index.ts';
import { ProgressBar, State } from '../../ui/index.ts';
import { LOOKS } from './job-model.ts';

export function JobState({ status }: { status: JobView['status'] }) {
  const [word, why] = texts.jobs.status[status];
  return <State word={word} why={why} {...LOOKS[status]} />;
}

export function JobProgress({ progress }: { progress: JobView['progress'] }) {
  if (progress.total === 0) return '–';
  return <ProgressBar label={texts.jobs.progress} percent={progress.percent} />;
}
