import {
  BLOCK_RESPONSE_TYPE,
  defaultOf,
  MEMBER_ORDER,
  POLICY_MESSAGES,
} from '../../../editor/policy/policy-messages.ts';
import type { EditPath } from '../../../yaml/edit-text.ts';
import { ChoiceField } from '../fields/choice-field.tsx';
import { PolicyField } from '../fields/policy-field.tsx';
import { usePolicyForm } from './form-context.ts';
import { type Members, textOf } from './policy-view.ts';
import { texts } from './texts.tsx';

const text = texts.answerFields;

const LABELS: ReadonlyMap<string, string> = new Map([
  ['format', text.format],
  ['unauthorized_status', text.unauthorizedStatus],
  ['realm', text.realm],
]);

/** Edits the `block_response` at `path`. */
export function AnswerFields({ path, members }: { path: EditPath; members: Members }) {
  return POLICY_MESSAGES.get(BLOCK_RESPONSE_TYPE)?.fields.map(({ name }) => (
    <PolicyField
      key={name}
      type={BLOCK_RESPONSE_TYPE}
      name={name}
      path={path}
      members={members}
      label={LABELS.get(name) ?? name}
    />
  ));
}

interface OwnAnswerProps {
  /** Path of the domain or route. */
  readonly path: EditPath;
  /** The response as it is written; undefined if it is inherited. */
  readonly answer: Members | undefined;
  readonly inherited: Members;
  /** Where the inherited response is set. */
  readonly from: 'defaults' | 'domain';
}

/** Inherits the response or sets its own, which completely replaces the inherited one. */
export function OwnAnswer({ path, answer, inherited, from }: OwnAnswerProps) {
  const { apply, errorsAt, isReadOnly } = usePolicyForm();
  const at = [...path, 'policy', 'block_response'];
  const choose = (choice: string) => {
    if (choice === 'inherit') apply([{ kind: 'remove', path: at }]);
    // The new response starts as a copy of the inherited one.
    else if (answer === undefined)
      apply([{ kind: 'set', path: at, value: { format: formatOf(inherited), ...inherited }, order: MEMBER_ORDER }]);
  };
  return (
    <>
      <ChoiceField
        label={text.answer}
        description={text.ownHint}
        options={[
          { value: 'inherit', label: text.inheritedFrom[from](formatOf(inherited)) },
          { value: 'own', label: text.own },
        ]}
        value={answer === undefined ? 'inherit' : 'own'}
        error={errorsAt(at)[0]?.message}
        isReadOnly={isReadOnly}
        onChoose={choose}
      />
      {answer !== undefined && <AnswerFields path={at} members={answer} />}
    </>
  );
}

function formatOf(answer: Members): string {
  return textOf(answer.format) || (defaultOf(BLOCK_RESPONSE_TYPE, 'format') ?? '');
}
