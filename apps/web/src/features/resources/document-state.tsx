import type { DocumentState } from '@flotilla/contract';
import { State, type Tone } from '../../ui/index.ts';
import type { Shape } from '../../ui/state.tsx';
import { texts } from './texts.tsx';

const text = texts.documentState;

interface Look {
  readonly word: string;
  readonly why: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

export const DOCUMENT_STATE_LOOKS: Readonly<Record<DocumentState, Look>> = {
  live: { word: text.live, why: text.whyLive, tone: 'good', shape: 'full' },
  in_progress: { word: text.inProgress, why: text.whyInProgress, tone: 'busy', shape: 'arc' },
  refused: { word: text.refused, why: text.whyRefused, tone: 'bad', shape: 'triangle' },
  failed: { word: text.failed, why: text.whyFailed, tone: 'bad', shape: 'triangle' },
  unreachable: { word: text.unreachable, why: text.whyUnreachable, tone: 'warn', shape: 'half' },
  stopped: { word: text.stopped, why: text.whyStopped, tone: 'quiet', shape: 'square' },
  not_deployed: { word: text.notDeployed, why: text.whyNotDeployed, tone: 'quiet', shape: 'ring' },
  unused: { word: text.unused, why: text.whyUnused, tone: 'quiet', shape: 'ring' },
};

/** The state of a document as a word and a shape. */
export function DocumentStateMark({ state }: { state: DocumentState }) {
  return <State {...DOCUMENT_STATE_LOOKS[state]} />;
}
