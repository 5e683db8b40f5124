import { Button, FileButton, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../texts.ts';

const text = texts.file;

interface FileTextProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly readOnly: boolean;
  readonly value: string;
  readonly max: number | undefined;
  readonly onChange: (text: string) => void;
}

/** Edits text that usually comes from a file, such as certificates: the user types, pastes or uploads it. */
export function FileText({ label, description, error, readOnly, value, max, onChange }: FileTextProps) {
  const [tooLarge, setTooLarge] = useState(false);
  const read = async (file: File | null) => {
    if (!file) return;
    const isTooLarge = max !== undefined && file.size > max;
    setTooLarge(isTooLarge);
    if (!isTooLarge) onChange(await file.text());
  };
  return (
    <Stack gap={6} align="flex-start" w="100%">
      <Textarea
        label={label}
        description={description}
        error={tooLarge ? text.tooLarge(max ?? 0) : error}
        readOnly={readOnly}
        value={value}
        w="100%"
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {!readOnly && (
        <FileButton onChange={(file) => void read(file)}>
          {(props) => (
            <Button {...props} variant="default" size="compact-xs" aria-label={`${text.choose}: ${label}`}>
              {text.choose}
            </Button>
          )}
        </FileButton>
      )}
    </Stack>
  );
}
