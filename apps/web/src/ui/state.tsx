import type { ReactNode } from 'react';
import { Hint, type HintTarget } from './hint.tsx';
import classes from './state.module.css';
import { texts } from './texts.tsx';

const text = texts.state;

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet';

/** full: fine. half: partly. ring: nothing. arc: in progress. triangle: needs attention. square: stopped on purpose. */
export type Shape = 'full' | 'half' | 'ring' | 'arc' | 'triangle' | 'square';

interface Look {
  readonly tone: Tone;
  readonly shape: Shape;
}

/** Looks of all known words, so that a word looks the same everywhere. */
const LOOKS: Readonly<Record<string, Look>> = {
  [text.live]: { tone: 'good', shape: 'full' },
  [text.partial]: { tone: 'warn', shape: 'half' },
  [text.offline]: { tone: 'bad', shape: 'ring' },
  [text.notDeployed]: { tone: 'quiet', shape: 'ring' },
  [text.running]: { tone: 'good', shape: 'full' },
  [text.stopped]: { tone: 'quiet', shape: 'square' },
  [text.preparing]: { tone: 'busy', shape: 'arc' },
  [text.failed]: { tone: 'bad', shape: 'triangle' },
  [text.removed]: { tone: 'quiet', shape: 'ring' },
  [text.waiting]: { tone: 'busy', shape: 'ring' },
  [text.sent]: { tone: 'busy', shape: 'half' },
  [text.acknowledged]: { tone: 'busy', shape: 'full' },
  [text.warmed]: { tone: 'good', shape: 'full' },
  [text.refused]: { tone: 'bad', shape: 'triangle' },
  [text.held]: { tone: 'warn', shape: 'half' },
  [text.unknown]: { tone: 'quiet', shape: 'ring' },
  [text.done]: { tone: 'good', shape: 'full' },
  [text.pending]: { tone: 'busy', shape: 'ring' },
  [text.denied]: { tone: 'warn', shape: 'triangle' },
  [text.critical]: { tone: 'bad', shape: 'triangle' },
  [text.error]: { tone: 'bad', shape: 'triangle' },
  [text.warning]: { tone: 'warn', shape: 'triangle' },
  [text.resolved]: { tone: 'quiet', shape: 'full' },
  [text.active]: { tone: 'bad', shape: 'triangle' },
};

export interface StateProps {
  /** The text: one of the known words, or any other with a `tone` and a `shape`. */
  readonly word: string;
  readonly tone?: Tone;
  readonly shape?: Shape;
  /** Duration and reason, shown on hover and focus and read by screen readers. */
  readonly why?: ReactNode;
}

/** Shows a state, always as a word and a shape, never by colour alone. */
export function State({ word, tone, shape, why }: StateProps) {
  const known = LOOKS[word] ?? { tone: 'quiet', shape: 'ring' };
  const look = { tone: tone ?? known.tone, shape: shape ?? known.shape };
  const render = (target?: HintTarget) => (
    <span className={classes.state} data-state={word} {...target}>
      <StateShape {...look} />
      <span className={classes.word}>{word}</span>
    </span>
  );
  return why ? <Hint label={() => why}>{render}</Hint> : render();
}

export function StateShape({ tone, shape }: Look) {
  return (
    <svg
      viewBox="0 0 10 10"
      aria-hidden="true"
      className={`${classes.shape} ${classes[tone]} ${shape === 'arc' ? classes.turning : ''}`}
    >
      {DRAWINGS[shape]}
    </svg>
  );
}

const DRAWINGS: Readonly<Record<Shape, ReactNode>> = {
  full: <circle cx="5" cy="5" r="4.5" fill="currentColor" />,
  half: (
    <>
      <circle cx="5" cy="5" r="4" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <path d="M5 1a4 4 0 0 0 0 8z" fill="currentColor" />
    </>
  ),
  ring: <circle cx="5" cy="5" r="4" fill="none" stroke="currentColor" strokeWidth="1.4" />,
  arc: <path d="M5 1a4 4 0 1 1-4 4" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />,
  triangle: <path d="M5 .6 9.8 9.4H.2z" fill="currentColor" />,
  square: <rect x="1" y="1" width="8" height="8" rx="1.5" fill="currentColor" />,
};
