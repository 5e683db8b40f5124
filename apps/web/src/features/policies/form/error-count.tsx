import { State } from '../../../ui/index.ts';
import type { PlacedError } from '../editing/policy-errors.ts';
import { texts } from './texts.tsx';

const text = texts.errorCount;

/** Shows the number of errors in a part that may be closed. */
export function ErrorCount({ errors }: { errors: readonly PlacedError[] }) {
  if (errors.length === 0) return null;
  return <State word={text.errors(errors.length)} tone="bad" shape="triangle" />;
}
