import { texts } from '../../../texts/index.ts';
import { State } from '../../../ui/index.ts';
import type { PlacedError } from '../editing/policy-errors.ts';

const text = texts.policies.form.errorCount;

/** Number of errors in a part that may be closed. */
export function ErrorCount({ errors }: { errors: readonly PlacedError[] }) {
  if (errors.length === 0) return null;
  return <State word={text.errors(errors.length)} tone="bad" shape="triangle" />;
}
