import { Group, SegmentedControl, Text } from '@mantine/core';
import { useUrlState } from '../../app/url-state.ts';

interface ChoiceProps {
  /** The parameter of the URL. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** The value without the parameter. */
  readonly initial: string;
}

/** Chooses one of a few values of a view, which the URL keeps. */
export function Choice({ name, label, options, initial }: ChoiceProps) {
  const url = useUrlState();
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed" aria-hidden="true">
        {label}
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={label}
        data={[...options]}
        value={readChoice(url.get(name), options, initial)}
        onChange={(value) => url.set({ [name]: value === initial ? undefined : value }, 'push')}
      />
    </Group>
  );
}

/** Returns the chosen value. The URL may contain anything. */
export function readChoice(value: string | undefined, options: ChoiceProps['options'], initial: string): string {
  return options.some((option) => option.value === value) ? (value ?? initial) : initial;
}
