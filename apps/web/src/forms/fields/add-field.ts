import type { FormState } from '../model/form-state.ts';
import { initialArm } from '../model/initial-value.ts';
import { joinPath } from '../model/path.ts';
import type { FieldDescription } from '../schema-source.ts';

/** Shows a field and focuses it. A message is set at once, because adding it expresses the intent. */
export function addField(state: FormState, field: FieldDescription, parentAt: string): void {
  const at = joinPath(parentAt, field.name);
  state.ask(parentAt, field.name);
  const isMessage = field.shape === 'singular' && field.value.kind === 'message' && field.slot === undefined;
  const initial = isMessage || field.oneof !== undefined ? initialArm(field) : undefined;
  if (initial !== undefined && state.get(at) === undefined && !(initial === true && field.oneof === undefined)) {
    state.set(at, initial);
  }
  state.requestFocus(at);
}
