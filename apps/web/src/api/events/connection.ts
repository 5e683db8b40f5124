import { useSyncExternalStore } from 'react';
import { readReach, subscribeReach } from '../reach.ts';
import type { StreamState } from './tab-messages.ts';

/**
 * connecting    not yet
 * live          requests are answered, and changes arrive as they happen
 * reconnecting  requests are answered, but changes do not arrive
 * offline       nobody answers; it is tried again
 */
type Connection =
  | { readonly status: 'connecting' }
  | { readonly status: 'live' }
  | { readonly status: 'reconnecting'; readonly since: Date }
  | { readonly status: 'offline'; readonly since: Date };

let stream: StreamState = { status: 'connecting' };
let connection: Connection = { status: 'connecting' };
const listeners = new Set<() => void>();

export function setStream(next: StreamState): void {
  stream = next;
  update();
}

subscribeReach(update);

function update(): void {
  const next = derive();
  const isSame = next.status === connection.status && timeOf(next) === timeOf(connection);
  if (isSame) return;
  connection = next;
  for (const listener of listeners) listener();
}

function derive(): Connection {
  const { silentSinceMs } = readReach();
  if (silentSinceMs !== undefined) return { status: 'offline', since: new Date(silentSinceMs) };
  switch (stream.status) {
    case 'lost':
      return { status: stream.isSilent ? 'offline' : 'reconnecting', since: new Date(stream.sinceMs) };
    case 'live':
      return { status: 'live' };
    case 'connecting':
      return { status: 'connecting' };
  }
}

function timeOf(one: Connection): number | undefined {
  return 'since' in one ? one.since.getTime() : undefined;
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

/** Calls the function each time that changes begin to arrive. */
export function onConnected(then: () => void): () => void {
  let before = connection.status;
  const listener = () => {
    if (connection.status === 'live' && before !== 'live') then();
    before = connection.status;
  };
  listeners.add(listener);
  return () => listeners.delete(listener);
}
