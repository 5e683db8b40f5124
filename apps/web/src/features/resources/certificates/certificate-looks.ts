import type { StateProps } from '../../../ui/state.tsx';
import { texts } from '../texts.tsx';
import type { CertificateState } from './read-certificates.ts';

const text = texts.certificates;

export const CERTIFICATE_LOOKS: Readonly<Record<CertificateState, StateProps>> = {
  ended: { word: text.ended, tone: 'bad', shape: 'triangle' },
  ends_soon: { word: text.endsSoon, tone: 'warn', shape: 'triangle' },
  not_yet: { word: text.notYet, tone: 'warn', shape: 'ring' },
  valid: { word: text.valid, tone: 'good', shape: 'full' },
};
