import type { JobDetailView } from '@flotilla/contract';
import { Notice } from '../../ui/index.ts';
import { texts } from './texts.ts';

const text = texts;

/** Notices at the top of a job. */
export function JobNotices({
  job: { error, cancel_requested: isCancelled, ended_at, status },
}: {
  job: JobDetailView;
}) {
  return (
    <>
      {error && (
        <Notice tone="bad" title={text.why}>
          <bdi>{error.message}</bdi> <span className="mono">{error.code}</span>
        </Notice>
      )}
      {isCancelled && ended_at === null && (
        <Notice tone="warn" title={text.cancelAsked}>
          {text.cancelAskedText}
        </Notice>
      )}
      {isCancelled && ended_at !== null && status !== 'cancelled' && (
        <Notice tone="quiet" title={text.cancelLate}>
          {text.cancelLateText}
        </Notice>
      )}
    </>
  );
}
