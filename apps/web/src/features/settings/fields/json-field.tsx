import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../texts.ts';

interface JsonFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly readOnly: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Edits JSON, for schemas without an input of their own. Invalid JSON stays in the input and changes nothing. */
export function JsonField({ label, description, error, readOnly, value, onChange }: JsonFieldProps) {
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? (value === undefined ? '' : JSON.stringify(value, null, 2));
  const change = (next: string) => {
    setTyped(next);
    const parsed = parse(next);
    if (parsed.isJson) onChange(parsed.value);
  };
  return (
    <Textarea
      label={label}
      description={description}
      error={typed !== undefined && !parse(typed).isJson ? texts.json : error}
      readOnly={readOnly}
      value={shown}
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function parse(text: string): { isJson: boolean; value?: unknown } {
  if (text.trim() === '') return { isJson: true, value: undefined };
  try {
    return { isJson: true, value: JSON.parse(text) };
  } catch {
    return { isJson: false };
  }
}
