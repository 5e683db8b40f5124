import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Notice, Problem, useSending, useWrite } from '../../ui/index.ts';
import { DropZone } from './drop-zone.tsx';
import { texts } from './texts.ts';

const text = texts.import;

/** Imports a file, or a pasted text. `name`: a version of this document. */
export function ImportForm({ name: fixed }: { name?: string }) {
  const sending = useSending();
  const importFile = useImport();
  const [name, setName] = useState(fixed ?? '');
  const [file, setFile] = useState<File>();
  const [pasted, setPasted] = useState('');
  const source = file ?? (pasted.trim() === '' ? undefined : new Blob([pasted]));
  const { bodyLimit = Number.POSITIVE_INFINITY } = routes.apiDocument.import;
  const isTooLarge = source !== undefined && source.size > bodyLimit;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (source === undefined || isTooLarge) return;
    void sending.send(() => importFile(name.trim(), source));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={text.name}
          description={text.nameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          readOnly={fixed !== undefined}
          required
        />
        <DropZone file={file} onChange={setFile} />
        {file === undefined && (
          <Textarea
            label={text.paste}
            description={text.pasteHint}
            value={pasted}
            onChange={(event) => setPasted(event.currentTarget.value)}
            rows={8}
            spellCheck={false}
            classNames={{ input: 'mono' }}
          />
        )}
        {isTooLarge && <Notice tone="bad" title={text.tooLarge} />}
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        <Button
          type="submit"
          loading={sending.isBusy}
          disabled={source === undefined || isTooLarge || name.trim() === ''}
        >
          {text.submit}
        </Button>
      </Stack>
    </form>
  );
}

const STALE = [
  routes.apiDocument.list,
  routes.apiDocument.get,
  routes.apiDocument.versions,
  routes.apiDocumentReport.differences,
];

/** Imports a file and opens its document. */
function useImport() {
  const project = useProject();
  const write = useWrite();
  const navigate = useNavigate();
  return async (name: string, file: Blob): Promise<void> => {
    const { body } = await write(
      routes.apiDocument.import,
      { query: { project: project.id, name }, file },
      { done: (made) => text.done(made.name, made.version.number, made.version.operation_count), stale: STALE },
    );
    await navigate({
      to: '/p/$project/traffic/documents/$documentId',
      params: { project: project.name, documentId: body.id },
    });
  };
}
