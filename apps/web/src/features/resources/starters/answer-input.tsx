import { Textarea, TextInput } from '@mantine/core';
import { texts } from '../texts.tsx';
import type { Question } from './answers.ts';
import { STORED_KINDS, StoredNameInput } from './stored-name-input.tsx';

const text = texts.starters;
const ORDER: ['label', 'input', 'error', 'description'] = ['label', 'input', 'error', 'description'];
const LINES_MAX = 12;
const HINTS: Readonly<Partial<Record<Question['kind'], string>>> = text.hints;

export interface AnswerInputProps {
  readonly question: Question;
  readonly collection: string;
  readonly version: string;
  readonly value: string;
  readonly placeholder: string | undefined;
  readonly error: string | undefined;
  readonly isFirst: boolean;
  readonly onChange: (value: string) => void;
}

/** The control for one answer. All answers are texts, so that nothing typed is lost. */
export function AnswerInput(props: AnswerInputProps) {
  const { question, collection, isFirst, onChange } = props;
  const { kind, label } = question;
  const shared = {
    label,
    description: kind === 'name' && collection === 'virtual_hosts' ? text.hints.virtualHost : HINTS[kind],
    inputWrapperOrder: ORDER,
    withAsterisk: kind !== 'server_name',
    value: props.value,
    error: props.error,
    placeholder: props.placeholder,
    autoComplete: 'off',
    spellCheck: false,
    // The form appears because the user asked for it.
    autoFocus: isFirst,
  };
  const stored = STORED_KINDS[kind];
  if (stored) return <StoredNameInput {...props} {...shared} stored={stored} />;
  switch (kind) {
    case 'addresses':
    case 'ip_addresses':
    case 'certificate_pem':
    case 'private_key_pem':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={2}
          maxRows={LINES_MAX}
          classNames={{ input: 'mono' }}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextInput
          {...shared}
          inputMode={kind === 'port' || kind === 'count' ? 'numeric' : undefined}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
