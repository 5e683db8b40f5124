import { MEMBER_ORDER } from '../../../editor/policy/policy-messages.ts';
import { texts } from '../../../texts/index.ts';
import { ChoiceField } from '../fields/choice-field.tsx';
import type { EditPath } from '../yaml/edit-text.ts';
import { usePolicyForm } from './form-context.ts';
import { textOf } from './policy-view.ts';

const text = texts.policies.form.modeField;

interface ModeFieldProps {
  /** Of the domain or route. */
  readonly path: EditPath;
  readonly mode: unknown;
  /** What holds where nothing is written here. */
  readonly inherited: string;
  /** Where what holds is written. */
  readonly from: 'defaults' | 'domain';
}

/** Block, detect, or what holds above: three different things. */
export function ModeField({ path, mode, inherited, from }: ModeFieldProps) {
  const { apply, errorsAt, isReadOnly } = usePolicyForm();
  const at = [...path, 'policy', 'mode'];
  return (
    <ChoiceField
      label={text.mode}
      description={text.modeHintFrom[from](inherited)}
      options={[
        { value: 'inherit', label: text.inheritedFrom[from](inherited) },
        { value: 'block', label: text.block },
        { value: 'detect', label: text.detect },
      ]}
      value={textOf(mode) || 'inherit'}
      error={errorsAt(at)[0]?.message}
      isReadOnly={isReadOnly}
      onChoose={(next) =>
        apply([
          next === 'inherit'
            ? { kind: 'remove', path: at }
            : { kind: 'set', path: at, value: next, order: MEMBER_ORDER },
        ])
      }
    />
  );
}
