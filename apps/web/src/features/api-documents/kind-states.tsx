import type { ApiCoverageKind } from '@flotilla/contract';
import { State } from '../../ui/index.ts';
import type { StateProps } from '../../ui/state.tsx';
import { texts } from './texts.ts';

type Look = Required<Pick<StateProps, 'tone' | 'shape'>>;

const LOOKS: Readonly<Record<ApiCoverageKind, Look>> = {
  documented: { tone: 'good', shape: 'full' },
  overlap: { tone: 'busy', shape: 'half' },
  undocumented: { tone: 'warn', shape: 'triangle' },
  unscoped: { tone: 'quiet', shape: 'ring' },
  out_of_scope: { tone: 'busy', shape: 'ring' },
  unused: { tone: 'quiet', shape: 'ring' },
  deprecated_in_use: { tone: 'warn', shape: 'half' },
  undeclared_parameter: { tone: 'warn', shape: 'half' },
  undeclared_status: { tone: 'warn', shape: 'half' },
};

/** The kinds of one endpoint. That it is documented goes without saying if something else is to say. */
export function KindStates({ kinds }: { kinds: readonly ApiCoverageKind[] }) {
  const shown = kinds.length > 1 ? kinds.filter((kind) => kind !== 'documented') : kinds;
  return (
    <>
      {shown.map((kind) => (
        <div key={kind}>
          <State word={texts.kinds[kind]} why={texts.meanings[kind]} {...LOOKS[kind]} />
        </div>
      ))}
    </>
  );
}
