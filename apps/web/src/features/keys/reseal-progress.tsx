import type { JobView } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { Notice } from '../../ui/index.ts';
import { isOver, JobProgress } from '../jobs/index.ts';
import { texts } from './texts.ts';

const text = texts.data;
const TYPE = 'keys.reseal';
const ASK_MS = 1000;

/** Shows the progress or failure of the last re-encryption job. */
export function ResealProgress({ isWanted }: { isWanted: boolean }) {
  const found = useApi(
    routes.job.list,
    { query: { type: [TYPE], limit: 1 } },
    { enabled: isWanted, refetchEveryMs: () => ASK_MS },
  );
  const job = found.data?.body.items[0];
  return isWanted && job ? <ReencryptionNotice job={job} /> : null;
}

function ReencryptionNotice({ job: { number, status, progress, error } }: { job: JobView }) {
  if (!isOver(status))
    return (
      <Notice tone="busy" title={text.running(number)}>
        <JobProgress progress={progress} />
      </Notice>
    );
  if (status === 'done') return null;
  return (
    <Notice tone="bad" title={text.failed(number)}>
      {error?.message} {text.failedText}
    </Notice>
  );
}
