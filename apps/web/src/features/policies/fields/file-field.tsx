import { Autocomplete, FileButton, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { readBase64 } from '../editing/read-file.ts';
import { usePolicyForm } from '../form/form-context.ts';
import { useDraftText } from '../form/use-draft-text.ts';
import classes from './fields.module.css';
import { texts } from './texts.ts';

const text = texts.fileField;

interface FileFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: string;
  readonly onChange: (path: string) => void;
  readonly error?: string | undefined;
  readonly isReadOnly: boolean;
  /** Folder for an added file. */
  readonly folder: string;
}

/** Selects a file of the policy, or adds one. */
export function FileField({ label, description, value, onChange, error, isReadOnly, folder }: FileFieldProps) {
  const { files, addFile } = usePolicyForm();
  const draft = useDraftText(value, onChange);
  const [failure, setFailure] = useState<string>();
  const isMissing = value !== '' && !files.some(({ path }) => path === value);
  const upload = async (file: File | null) => {
    if (!file) return;
    try {
      const path = `${folder}/${file.name}`;
      addFile({ path, content_base64: await readBase64(file) });
      onChange(path);
      setFailure(undefined);
    } catch (reason) {
      setFailure(reason instanceof Error ? reason.message : String(reason));
    }
  };
  return (
    <div>
      <Autocomplete
        label={label}
        description={description}
        value={draft.text}
        readOnly={isReadOnly}
        error={failure ?? error ?? (isMissing ? text.missing : undefined)}
        data={files.map(({ path }) => path)}
        placeholder={text.none}
        onChange={draft.set}
        onBlur={draft.flush}
        onOptionSubmit={draft.flush}
      />
      {!isReadOnly && (
        <FileButton onChange={(file) => void upload(file)}>
          {(props) => (
            <UnstyledButton {...props} className={classes.link} aria-label={text.addFor(label)}>
              {text.add}
            </UnstyledButton>
          )}
        </FileButton>
      )}
    </div>
  );
}
