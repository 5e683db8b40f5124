import { ActionIcon, Button, FileButton, Tooltip } from '@mantine/core';
import { IconTrash, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { Problem, Section, Time } from '../../../ui/index.ts';
import { fileSize, type PolicyFile } from '../model.ts';
import classes from './editing.module.css';
import { readBase64 } from './read-file.ts';
import { texts } from './texts.tsx';

const text = texts.policyFiles;

interface PolicyFilesProps {
  readonly files: readonly PolicyFile[];
  readonly onChange: ((files: readonly PolicyFile[]) => void) | undefined;
}

/** Lists files of the policy. Their content is never shown, because it may be a key. */
export function PolicyFiles({ files, onChange }: PolicyFilesProps) {
  const [error, setError] = useState<unknown>();
  const add = async (file: File | null, replaced?: string) => {
    if (!file || !onChange) return;
    try {
      const content = await readBase64(file);
      const path = replaced ?? `keys/${file.name}`;
      onChange([...files.filter((other) => other.path !== path), { path, content_base64: content }]);
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Section
      title={text.title}
      actions={
        onChange && (
          <FileButton onChange={(file) => void add(file)}>
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconUpload size={14} />}>
                {text.add}
              </Button>
            )}
          </FileButton>
        )
      }
    >
      {files.length === 0 ? (
        <p className={classes.dimmed}>{text.none}</p>
      ) : (
        <ul className={classes.files} aria-label={text.list}>
          {files.map((file) => (
            <FileItem
              key={file.path}
              file={file}
              edits={
                onChange && {
                  replace: (chosen) => void add(chosen, file.path),
                  remove: () => onChange(files.filter(({ path }) => path !== file.path)),
                }
              }
            />
          ))}
        </ul>
      )}
      {error !== undefined && <Problem error={error} what={text.failed} />}
    </Section>
  );
}

interface FileItemProps {
  readonly file: PolicyFile;
  /** undefined: the user may only read. */
  readonly edits: { readonly replace: (chosen: File | null) => void; readonly remove: () => void } | undefined;
}

function FileItem({ file, edits }: FileItemProps) {
  return (
    <li>
      <bdi className="mono">{file.path}</bdi>
      <span className={classes.dimmed}>{text.bytes(fileSize(file).toLocaleString())}</span>
      {'secret' in file && <span className={classes.dimmed}>{text.secretGiven(<Time at={file.updated_at} />)}</span>}
      {edits && (
        <>
          <FileButton onChange={edits.replace}>
            {(props) => (
              <Tooltip label={text.replace}>
                <ActionIcon {...props} aria-label={text.replaceFile(file.path)}>
                  <IconUpload size={15} />
                </ActionIcon>
              </Tooltip>
            )}
          </FileButton>
          <Tooltip label={text.remove}>
            <ActionIcon aria-label={text.removeFile(file.path)} onClick={edits.remove}>
              <IconTrash size={15} />
            </ActionIcon>
          </Tooltip>
        </>
      )}
    </li>
  );
}
