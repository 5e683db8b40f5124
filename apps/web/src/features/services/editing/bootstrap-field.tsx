import { Button, Select } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { sayDone, sayFailed } from '../../../ui/index.ts';
import { useDocumentNames, useMissingNames } from './names-field.tsx';
import { texts } from './texts.tsx';

const words = texts.bootstrapField;

const DEFAULT_NAME = 'default-bootstrap';

interface BootstrapFieldProps {
  readonly value: string;
  readonly version: string;
  readonly error: string | undefined;
  readonly onChange: (name: string) => void;
}

/** Selects a stored bootstrap of the version, or creates a default one. */
export function BootstrapField({ value, version, error, onChange }: BootstrapFieldProps) {
  const project = useProject();
  const can = useCan();
  const queryClient = useQueryClient();
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const names = useDocumentNames('bootstrap', version, text === value ? '' : text);
  const missing = useMissingNames('bootstrap', version, value === '' ? [] : [value]);

  const create = async () => {
    setBusy(true);
    try {
      const body = { name: DEFAULT_NAME, version, resource: {} };
      await call(routes.xds.create, { params: { collection: 'bootstrap' }, query: { project: project.id }, body });
      await invalidate(queryClient, routes.xds.list);
      sayDone(words.done(DEFAULT_NAME, version));
      onChange(DEFAULT_NAME);
    } catch (failure) {
      // Another user has just created it, so it is selected.
      if (failure instanceof ApiError && failure.status === 409) onChange(DEFAULT_NAME);
      else sayFailed(words.failed, failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div>
      <Select
        label={words.label}
        description={words.hint}
        withAsterisk
        placeholder={version === '' ? words.chooseVersionFirst : words.chooseOne}
        disabled={version === ''}
        data={[...new Set([...(value === '' ? [] : [value]), ...names])]}
        value={value === '' ? null : value}
        onChange={(name) => onChange(name ?? '')}
        error={error ?? (missing.length > 0 ? words.notForVersion(value, version) : undefined)}
        searchable
        searchValue={text}
        onSearchChange={setText}
        nothingFoundMessage={words.noneForVersion}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
      />
      {version !== '' && value === '' && can(routes.xds.create) && !names.includes(DEFAULT_NAME) && (
        <Button variant="default" size="compact-xs" mt={6} loading={isBusy} onClick={() => void create()}>
          {words.createDefault}
        </Button>
      )}
    </div>
  );
}
