import type { ForwarderStatus } from '@flotilla/contract';
import { State, type Tone } from '../../ui/index.ts';
import { texts } from './texts.ts';

const text = texts.status;

/** The state of a forwarder, as names and values. */
export function statusFacts(status: ForwarderStatus) {
  const { program, counters, restored } = status;
  return [
    [text.state, <State key="state" {...lookOf(status)} />],
    [text.program, program],
    [
      text.lines,
      counters ? text.counted(counters.read, counters.waiting) : program === 'filebeat' ? undefined : text.notCounted,
    ],
    [text.refused, counters && counters.failed > 0 ? counters.failed.toLocaleString() : undefined],
    [text.restored, restored && text.restoredWhy(restored.count, restored.reason)],
  ] as const;
}

function lookOf({ pid, wanted, counters }: ForwarderStatus): {
  word: string;
  tone: Tone;
  shape: 'full' | 'half' | 'square' | 'triangle';
} {
  if (pid === undefined)
    return wanted === 'stopped'
      ? { word: text.stopped, tone: 'quiet', shape: 'square' }
      : { word: text.failed, tone: 'bad', shape: 'triangle' };
  if (counters?.suspended) return { word: text.unreachable, tone: 'warn', shape: 'half' };
  return { word: text.running, tone: 'good', shape: 'full' };
}
