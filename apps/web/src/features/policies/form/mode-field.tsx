import { MEMBER_ORDER } from '../../../editor/policy/policy-messages.ts';
import type { EditPath } from '../../../yaml/edit-text.ts';
import { ChoiceField } from '../fields/choice-field.tsx';
import { usePolicyForm } from './form-context.ts';
import { textOf } from './policy-view.ts';
import { texts } from './texts.tsx';

const text = texts.modeField;

interface ModeFieldProps {
  /** Path of the domain or route. */
  readonly path: EditPath;
  readonly mode: unknown;
  /** The mode that applies if none is set here. */
  readonly inherited: string;
  /** Where the inherited mode is set. */
  readonly from: 'defaults' | 'domain';
}

/** Selects block, detect or inherit: three different settings. */
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
