import { texts } from '../../../texts/index.ts';
import { State } from '../../../ui/index.ts';
import type { PlacedError } from '../editing/policy-errors.ts';

const text = texts.policies.form.errorCount;

/** How much is wrong within a part that may be closed. */
export function ErrorCount({ errors }: { errors: readonly PlacedError[] }) {
  if (errors.length === 0) return null;
  return <State word={errors.length === 1 ? '1 error' : text.errors(errors.length)} tone="bad" shape="triangle" />;
}
