import type { AlertView } from '@flotilla/contract';
import { State, type Tone } from '../../ui/index.ts';
import { texts } from './texts.ts';

const TONES: Readonly<Record<AlertView['severity'], Tone>> = { critical: 'bad', warning: 'warn', info: 'busy' };

export function Severity({ severity }: { severity: AlertView['severity'] }) {
  return <State word={texts.severities[severity]} tone={TONES[severity]} shape="triangle" />;
}

const SHAPES = { pending: 'ring', firing: 'triangle', resolved: 'full' } as const;

export function AlertState({ alert }: { alert: AlertView }) {
  const { state, severity, acknowledged_by: by, unknown_since: unknownSince } = alert;
  const tone = state === 'resolved' ? 'quiet' : state === 'pending' ? 'busy' : TONES[severity];
  const why = unknownSince !== null ? texts.unknown : by === null ? undefined : texts.acknowledgedBy(by);
  return <State word={texts.states[state]} tone={tone} shape={SHAPES[state]} {...(why && { why })} />;
}
