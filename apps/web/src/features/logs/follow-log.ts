import type { LogPage } from '@flotilla/contract';
import { openEvents } from '../../api/index.ts';

export interface FollowHandlers {
  readonly onPage: (page: LogPage) => void;
  readonly onProblem: (message: string | undefined) => void;
}

const RETRY_MS = 3000;

/**
 * Follows a log after a cursor until the returned function is called. Opens the stream again after the last page when it breaks
 * or ends.
 */
export function followLog(
  address: { readonly clientId: string; readonly query: Readonly<Record<string, unknown>> },
  { from, lost }: { readonly from: string; readonly lost: string },
  { onPage, onProblem }: FollowHandlers,
): () => void {
  let cursor = from;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = (ms: number) => {
    source?.close();
    clearTimeout(timer);
    timer = setTimeout(open, ms);
  };
  const open = () => {
    const path = `/api/op/clients/${encodeURIComponent(address.clientId)}/logs/events`;
    const opened = openEvents(path, { ...address.query, last_event_id: cursor });
    source = opened;
    opened.addEventListener('log', ({ data }: MessageEvent<string>) => {
      const page = JSON.parse(data) as LogPage;
      cursor = page.newer_cursor;
      onProblem(undefined);
      onPage(page);
    });
    opened.addEventListener('heartbeat', () => onProblem(undefined));
    opened.addEventListener('problem', ({ data }: MessageEvent<string>) => {
      onProblem((JSON.parse(data) as { message: string }).message);
    });
    opened.addEventListener('end', () => again(RETRY_MS));
    opened.onerror = () => {
      onProblem(lost);
      again(RETRY_MS);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
