import type { JobView } from '@flotilla/contract';
import { ProgressBar, State } from '../../ui/index.ts';
import { LOOKS } from './job-model.ts';
import { texts } from './texts.ts';

export function JobState({ status }: { status: JobView['status'] }) {
  const [word, why] = texts.status[status];
  return <State word={word} why={why} {...LOOKS[status]} />;
}

export function JobProgress({ progress }: { progress: JobView['progress'] }) {
  if (progress.total === 0) return '–';
  return <ProgressBar label={texts.progress} percent={progress.percent} />;
}
