import { State } from '../../ui/index.ts';
import type { DocumentsState } from './documents-state.ts';
import { JobLink } from './job-link.tsx';
import { texts } from './texts.ts';

const text = texts.documents;

/** Whether documents of a release can be written, and the job that prepares them. */
export function DocumentsCell({ state }: { state: DocumentsState | undefined }) {
  if (state === undefined) return text.loading;
  switch (state.kind) {
    case 'prepared':
      return <State word={text.prepared} tone="good" shape="full" />;
    case 'known':
      return <State word={text.known} tone="good" shape="full" why={text.knownWhy} />;
    case 'other_file':
      return <State word={text.otherFile} tone="warn" shape="half" why={text.otherFileWhy} />;
    case 'unknown':
      return <State word={text.unknown} tone="quiet" shape="ring" />;
    case 'preparing':
      return (
        <>
          <State word={text.preparing} tone="busy" shape="arc" /> <JobLink number={state.job} />
        </>
      );
    case 'failed':
      return (
        <>
          <State word={text.failed} tone="bad" shape="triangle" why={state.reason} /> <JobLink number={state.job} />
        </>
      );
  }
}
