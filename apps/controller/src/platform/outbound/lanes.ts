/** A receiver to which something waits to be sent. */
export interface DueChannel {
  readonly id: string;
  readonly projectId: string;
  readonly isFailing: boolean;
}

/** Deliveries at a time to channels whose last delivery succeeded. */
const HEALTHY_MAX = 32;
/** To channels whose last delivery failed: those that hang cannot take the places of the others. */
const FAILING_MAX = 16;
/** Limit of one project in each lane, so that its channels cannot take all places. */
const PER_PROJECT_MAX = 4;

/** An attempt that takes longer counts as failing, so that many channels that begin to hang leave room for the others. */
const SLOW_AFTER_MS = 2000;

/** A channel to which a message is being sent, and for how long. */
export interface RunningAttempt {
  readonly channel: DueChannel;
  readonly runningMs: number;
}

export function toInFlight({ channel, runningMs }: RunningAttempt): DueChannel {
  return runningMs > SLOW_AFTER_MS ? { ...channel, isFailing: true } : channel;
}

/** Chooses the channels to which a message is sent now. `inFlight`: the channels to which one is being sent. */
export function chooseChannels(due: readonly DueChannel[], inFlight: readonly DueChannel[]): DueChannel[] {
  const chosen: DueChannel[] = [];
  for (const channel of due) {
    const lane = [...inFlight, ...chosen].filter(({ isFailing }) => isFailing === channel.isFailing);
    if (inFlight.some(({ id }) => id === channel.id)) continue;
    if (lane.length >= (channel.isFailing ? FAILING_MAX : HEALTHY_MAX)) continue;
    if (lane.filter(({ projectId }) => projectId === channel.projectId).length >= PER_PROJECT_MAX) continue;
    chosen.push(channel);
  }
  return chosen;
}

const RETRY_MIN_MS = 5000;
const RETRY_MAX_MS = 10 * 60_000;

/** Wait after so many failures in a row. */
export function retryAfterMs(failures: number): number {
  return Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(failures - 1, 20));
}
