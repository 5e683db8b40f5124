import type { ChangeEvent } from '@flotilla/contract';
import { useSyncExternalStore } from 'react';
import { formatQuery } from './call.ts';
import { loadSession } from './session.ts';

/** connecting: not yet. live: changes arrive as they happen. lost: nobody answers since `since`; it is tried again. */
export type Connection =
  | { readonly status: 'connecting' }
  | { readonly status: 'live' }
  | { readonly status: 'lost'; readonly since: Date };

export interface EventHandlers {
  readonly onChange: (event: ChangeEvent) => void;
  /** Changes may have been missed: everything that is shown is to be asked for again. */
  readonly onResync: () => void;
}

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 10_000;
/** The controller says something every 15 s; silence for longer means that the line is dead. */
const SILENCE_MAX_MS = 40_000;

let connection: Connection = { status: 'connecting' };
const listeners = new Set<() => void>();

function change(next: Connection): void {
  if (next.status === 'lost' && connection.status === 'lost') return;
  connection = next;
  for (const listener of listeners) listener();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
}

/** Follows the changes of a project until the returned function is called. Reconnects by itself, and misses nothing. */
export function followEvents(project: string, handlers: EventHandlers): () => void {
  let source: EventSource | undefined;
  let lastId: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  let wasLost = false;

  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(retry, SILENCE_MAX_MS);
  };
  const open = () => {
    source = new EventSource(`/api/v3/events${formatQuery({ project, last_event_id: lastId })}`);
    source.onopen = () => {
      attempt = 0;
      // Without an id to go on from, what happened meanwhile is not known.
      if (wasLost && lastId === undefined) handlers.onResync();
      wasLost = false;
      change({ status: 'live' });
      heard();
    };
    source.onerror = retry;
    source.addEventListener('hello', remember);
    source.addEventListener('heartbeat', heard);
    source.addEventListener('end', retry);
    source.addEventListener('resync', (event) => {
      remember(event);
      handlers.onResync();
    });
    source.addEventListener('change', (event) => {
      remember(event);
      handlers.onChange(JSON.parse(event.data) as ChangeEvent);
    });
  };
  const remember = (event: MessageEvent) => {
    heard();
    if (event.lastEventId) lastId = event.lastEventId;
  };
  const retry = () => {
    source?.close();
    clearTimeout(timer);
    clearTimeout(silence);
    wasLost = true;
    change({ status: 'lost', since: new Date() });
    const wait = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
    attempt += 1;
    // An ended session refuses the stream as a dead controller does: asking for it tells which it is.
    timer = setTimeout(() => void loadSession().then(open), wait);
  };
  change({ status: 'connecting' });
  open();
  return () => {
    source?.close();
    clearTimeout(timer);
    clearTimeout(silence);
  };
}
