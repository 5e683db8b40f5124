/** Whether the controller answers the requests of this tab. */
export interface Reach {
  /** undefined if it answered the last request. */
  readonly silentSinceMs: number | undefined;
}

let reach: Reach = { silentSinceMs: undefined };
const listeners = new Set<() => void>();

export function readReach(): Reach {
  return reach;
}

export function noteAnswer(isAnswered: boolean): void {
  if (isAnswered === (reach.silentSinceMs === undefined)) return;
  reach = { silentSinceMs: isAnswered ? undefined : Date.now() };
  for (const listener of listeners) listener();
}

export function subscribeReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
