import { Button, Group } from '@mantine/core';
import { State } from '../../../ui/index.ts';
import classes from './events.module.css';
import type { LiveState } from './live-tail.ts';
import { texts } from './texts.tsx';
import type { Live } from './use-traffic-events.ts';

const text = texts.live;

const LOOKS = {
  connecting: { word: text.connecting, tone: 'busy', shape: 'arc' },
  following: { word: text.following, tone: 'good', shape: 'full' },
  lost: { word: text.lost, tone: 'warn', shape: 'half' },
  ended: { word: text.ended, tone: 'bad', shape: 'triangle' },
} as const satisfies Readonly<Record<LiveState, object>>;

/** Starts, pauses and ends the live tail, and says what it leaves out. */
export function LiveBar({ live }: { live: Live }) {
  const { isOn, isPaused, tail } = live;
  if (!isOn)
    return (
      <Button variant="default" onClick={live.toggle}>
        {text.start}
      </Button>
    );
  return (
    <Group gap="xs" role="group" aria-label={text.title}>
      <Button variant="light" onClick={live.toggle}>
        {text.stop}
      </Button>
      <Button variant="default" onClick={() => live.setPaused(!isPaused)} aria-pressed={isPaused}>
        {isPaused ? text.goOn(tail.waiting) : text.pause}
      </Button>
      <span role="status">
        {isPaused ? <State word={text.paused} tone="quiet" shape="square" /> : <State {...LOOKS[tail.state]} />}
      </span>
      {tail.skipped !== undefined && <span className={classes.dimmed}>{text.skipped(tail.skipped)}</span>}
      {tail.problem !== undefined && <span className={classes.dimmed}>{tail.problem}</span>}
    </Group>
  );
}
