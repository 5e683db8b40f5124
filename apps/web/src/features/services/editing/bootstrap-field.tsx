import { Button, Select } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { sayDone, sayFailed } from '../../../ui/index.ts';
import { useDocumentNames, useMissingNames } from './names-field.tsx';

const DEFAULT_NAME = 'default-bootstrap';

interface BootstrapFieldProps {
  readonly value: string;
  readonly version: string;
  readonly error: string | undefined;
  readonly onChange: (name: string) => void;
}

/** One stored bootstrap of the version, or a default one that is made on the spot. */
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
      sayDone(`Bootstrap ${DEFAULT_NAME} is stored for Envoy ${version}.`);
      onChange(DEFAULT_NAME);
    } catch (failure) {
      // Somebody has made it already: that is the one.
      if (failure instanceof ApiError && failure.status === 409) onChange(DEFAULT_NAME);
      else sayFailed('The bootstrap was not created', failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div>
      <Select
        label="Bootstrap"
        description="What Envoy starts with. An empty one does for most: the controller adds what it needs itself."
        withAsterisk
        placeholder={version === '' ? 'Choose the proxy version first' : 'Choose one'}
        disabled={version === ''}
        data={[...new Set([...(value === '' ? [] : [value]), ...names])]}
        value={value === '' ? null : value}
        onChange={(name) => onChange(name ?? '')}
        error={error ?? (missing.length > 0 ? `There is no ${value} for Envoy ${version}.` : undefined)}
        searchable
        searchValue={text}
        onSearchChange={setText}
        nothingFoundMessage="There is none for this version"
        inputWrapperOrder={['label', 'input', 'error', 'description']}
      />
      {version !== '' && value === '' && can(routes.xds.create) && !names.includes(DEFAULT_NAME) && (
        <Button variant="default" size="compact-xs" mt={6} loading={isBusy} onClick={() => void create()}>
          Create a default bootstrap
        </Button>
      )}
    </div>
  );
}
