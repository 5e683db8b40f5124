import { Input, SegmentedControl } from '@mantine/core';
import { useId } from 'react';
import { texts } from './texts.ts';

const text = texts.choiceField;

interface ChoiceFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly error?: string | undefined;
  readonly isReadOnly: boolean;
}

/** Shows a few options side by side. Keeps an unknown value and reports it as an error. */
export function ChoiceField({ label, description, options, value, onChoose, error, isReadOnly }: ChoiceFieldProps) {
  const id = useId();
  const isKnown = options.some((option) => option.value === value);
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      description={description}
      error={error ?? (isKnown ? undefined : text.noneOfThese(value))}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <div>
        <SegmentedControl
          size="xs"
          aria-labelledby={id}
          data={options.map((option) => ({ ...option }))}
          value={isKnown ? value : ''}
          readOnly={isReadOnly}
          onChange={onChoose}
        />
      </div>
    </Input.Wrapper>
  );
}
