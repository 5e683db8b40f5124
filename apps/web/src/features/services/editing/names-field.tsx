import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { texts } from './texts.tsx';

const words = texts.namesField;

const SHOWN = 100;

/** Loads the names of stored documents of one collection and version that match the text, and which selected ones exist. */
export function useDocumentNames(collection: 'listeners' | 'bootstrap', version: string, text: string) {
  const project = useProject();
  const [q] = useDebouncedValue(text, 150);
  const found = useApi(
    routes.xds.list,
    { params: { collection }, query: { project: project.id, version, limit: SHOWN, ...(q && { q }) } },
    { topics: ['document'], enabled: version !== '', keepPrevious: true },
  );
  return found.data?.body.items.map(({ name }) => name) ?? [];
}

/** Returns the selected names that do not exist; empty while unknown. */
export function useMissingNames(
  collection: 'listeners' | 'bootstrap',
  version: string,
  chosen: readonly string[],
): readonly string[] {
  const project = useProject();
  const there = useApi(
    routes.xds.list,
    { params: { collection }, query: { project: project.id, version, name: [...chosen], limit: 1000 } },
    { topics: ['document'], enabled: version !== '' && chosen.length > 0 },
  );
  const names = there.data?.body.items.map(({ name }) => name);
  return names && chosen.length > 0 ? chosen.filter((name) => !names.includes(name)) : [];
}

/** Placeholder in a listener for the address of each client. */
const CLIENT_ADDRESS = '@client';

/** Returns the selected listeners that bind to the address of each client; empty while unknown. */
export function useClientListeners(version: string, chosen: readonly string[]): readonly string[] {
  const project = useProject();
  const there = useApi(
    routes.xds.list,
    {
      params: { collection: 'listeners' },
      query: { project: project.id, version, name: [...chosen], resource: 'true', limit: 500 },
    },
    { topics: ['document'], enabled: version !== '' && chosen.length > 0, keepPrevious: true },
  );
  const items = there.data?.body.items ?? [];
  return items
    .filter(({ name, resource }) => chosen.includes(name) && addressOf(resource) === CLIENT_ADDRESS)
    .map(({ name }) => name);
}

function addressOf(resource: unknown): unknown {
  return (resource as { address?: { socket_address?: { address?: unknown } } } | undefined)?.address?.socket_address
    ?.address;
}

export function usePolicyNames(text: string) {
  const project = useProject();
  const [q] = useDebouncedValue(text, 150);
  const found = useApi(
    routes.policy.list,
    { query: { project: project.id, limit: SHOWN, ...(q && { q }) } },
    { topics: ['policy'], keepPrevious: true },
  );
  return found.data?.body.items.map(({ name }) => name) ?? [];
}

export interface NamesFieldProps {
  readonly label: string;
  readonly description: ReactNode;
  readonly chosen: readonly string[];
  readonly error: string | undefined;
  /** Names that match the input. */
  readonly names: readonly string[];
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onChange: (names: readonly string[]) => void;
}

/** Selects several names. The API searches, because there may be any number. */
export function NamesField({ label, description, chosen, error, names, text, onText, onChange }: NamesFieldProps) {
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={chosen.length === 0 ? words.chooseOrSearch : undefined}
      data={[...new Set([...chosen, ...names])]}
      value={[...chosen]}
      onChange={onChange}
      error={error}
      searchable
      searchValue={text}
      onSearchChange={onText}
      nothingFoundMessage={words.noneFits}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      clearable
      clearButtonProps={{ 'aria-label': words.clear(label) }}
    />
  );
}
