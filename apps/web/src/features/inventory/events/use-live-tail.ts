import type { TrafficEvent } from '@flotilla/contract';
import { useEffect, useRef, useState } from 'react';
import { addLive, LIVE_ROWS_MAX } from './live-rows.ts';
import { followTraffic, type LiveState } from './live-tail.ts';

/** New requests appear together this often, so that a busy proxy does not draw the page a thousand times a second. */
const GATHER_MS = 250;
const NONE: readonly TrafficEvent[] = [];

export interface LiveTail {
  readonly state: LiveState;
  readonly rows: readonly TrafficEvent[];
  /** Requests that wait while the list is paused. */
  readonly waiting: number;
  /** Requests that were left out; null: not counted. undefined: none. */
  readonly skipped: number | null | undefined;
  readonly problem: string | undefined;
}

interface Question {
  /** Filters of the API with the project. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly isOn: boolean;
  readonly isPaused: boolean;
}

/** Follows the matching requests while `isOn`. Other filters begin a new list. */
export function useLiveTail({ query, isOn, isPaused }: Question): LiveTail {
  const [rows, setRows] = useState(NONE);
  const [state, setState] = useState<LiveState>('connecting');
  const [waiting, setWaiting] = useState(0);
  const [skipped, setSkipped] = useState<number | null>();
  const [problem, setProblem] = useState<string>();
  const gathered = useRef<TrafficEvent[]>([]);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  const key = JSON.stringify(query);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when the filters differ
  useEffect(() => {
    if (!isOn) return;
    gathered.current = [];
    setRows(NONE);
    setWaiting(0);
    setSkipped(undefined);
    setProblem(undefined);
    setState('connecting');
    const timer = setInterval(() => {
      const added = gathered.current;
      if (paused.current) setWaiting(added.length);
      else if (added.length > 0) {
        gathered.current = [];
        setWaiting(0);
        setRows((before) => addLive(before, added));
      }
    }, GATHER_MS);
    const stop = followTraffic(query, {
      onEvent: (event) => {
        gathered.current.push(event);
        if (gathered.current.length > LIVE_ROWS_MAX) gathered.current.shift();
      },
      onSkipped: ({ requests }) =>
        setSkipped((before) => (requests === null || before === null ? null : (before ?? 0) + requests)),
      onProblem: setProblem,
      onState: setState,
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [key, isOn]);

  return { rows: isOn ? rows : NONE, state, waiting, skipped, problem };
}
