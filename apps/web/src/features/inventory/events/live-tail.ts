import type { TrafficEvent, TrafficSkipped } from '@flotilla/contract';
import { openEvents, routes } from '../../../api/index.ts';

export type LiveState = 'connecting' | 'following' | 'lost' | 'ended';

export interface LiveHandlers {
  readonly onEvent: (event: TrafficEvent) => void;
  readonly onSkipped: (skipped: TrafficSkipped) => void;
  /** The store has a problem; the stream tries again. */
  readonly onProblem: (message: string | undefined) => void;
  readonly onState: (state: LiveState) => void;
}

const RETRY_MS = 3000;

/**
 * Follows the requests that match until the returned function is called. Opens the stream again after the last request when it breaks or
 * ends, and closes it while the page is hidden: browsers have six connections to a host.
 */
export function followTraffic(query: Readonly<Record<string, unknown>>, handlers: LiveHandlers): () => void {
  let lastId: string | undefined;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const again = () => {
    stop();
    handlers.onState('lost');
    timer = setTimeout(open, RETRY_MS);
  };
  const open = () => {
    stop();
    const opened = openEvents(routes.trafficEvent.live.path, { ...query, last_event_id: lastId });
    source = opened;
    const on = <T>(name: string, handle: (data: T) => void) =>
      opened.addEventListener(name, (event: MessageEvent<string>) => handle(JSON.parse(event.data) as T));
    on('hello', () => handlers.onState('following'));
    on<TrafficEvent>('event', (event) => {
      lastId = event.id;
      handlers.onProblem(undefined);
      handlers.onEvent(event);
    });
    on<TrafficSkipped>('skipped', handlers.onSkipped);
    on<{ message: string }>('problem', ({ message }) => handlers.onProblem(message));
    on<{ reason: string }>('end', ({ reason }) => {
      if (reason !== 'session') again();
      else {
        stop();
        handlers.onState('ended');
      }
    });
    opened.onerror = again;
  };
  const onSeen = () => {
    if (document.visibilityState === 'hidden') stop();
    else if (source === undefined) open();
  };
  document.addEventListener('visibilitychange', onSeen);
  window.addEventListener('pagehide', stop);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onSeen);
    window.removeEventListener('pagehide', stop);
    stop();
  };
}
