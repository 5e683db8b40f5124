import { MultiSelect, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from './texts.tsx';

const text = texts.form;
const ORDER: ['label', 'input', 'error', 'description'] = ['label', 'input', 'error', 'description'];
const SHOWN = 100;
const NONE = '';

interface ChoiceProps {
  readonly value: string | null;
  readonly error: string | undefined;
  readonly onChange: (value: string | null) => void;
}

interface DocumentSelectProps extends ChoiceProps {
  readonly collection: 'listeners' | 'secrets';
  readonly label: string;
  readonly description?: ReactNode;
  /** The choice of no document. */
  readonly empty?: string;
}

/** Selects a stored document by name, or none. The API searches, because there may be any number. */
export function DocumentSelect({ collection, ...props }: DocumentSelectProps) {
  const project = useProject();
  const [search, setSearch] = useState('');
  const [q] = useDebouncedValue(search, 150);
  const found = useApi(
    routes.xds.list,
    { params: { collection }, query: { project: project.id, limit: SHOWN, ...(q && { q }) } },
    { topics: ['document'], keepPrevious: true },
  );
  return <Choice {...props} names={found.data?.body.items.map(({ name }) => name) ?? []} onSearch={setSearch} />;
}

export function PolicySelect(props: ChoiceProps) {
  const project = useProject();
  const [search, setSearch] = useState('');
  const [q] = useDebouncedValue(search, 150);
  const found = useApi(
    routes.policy.list,
    { query: { project: project.id, limit: SHOWN, ...(q && { q }) } },
    { topics: ['policy'], keepPrevious: true },
  );
  const names = found.data?.body.items.map(({ name }) => name) ?? [];
  return <Choice {...props} label={text.policy} description={text.policyHint} names={names} onSearch={setSearch} />;
}

interface NamedChoice extends ChoiceProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly empty?: string;
  readonly names: readonly string[];
  readonly onSearch: (text: string) => void;
}

function Choice({ label, description, empty = text.none, value, error, names, onChange, onSearch }: NamedChoice) {
  const known = [...new Set([...(value === null ? [] : [value]), ...names])];
  return (
    <Select
      label={label}
      description={description}
      inputWrapperOrder={ORDER}
      data={[{ value: NONE, label: empty }, ...known.map((name) => ({ value: name, label: name }))]}
      value={value ?? NONE}
      error={error}
      onChange={(chosen) => onChange(chosen === null || chosen === NONE ? null : chosen)}
      allowDeselect={false}
      searchable
      onSearchChange={(given) => onSearch(given === empty || given === value ? '' : given)}
      nothingFoundMessage={text.noneFits}
    />
  );
}

function useClients(q: string) {
  const project = useProject();
  return useApi(
    routes.fleet.clients,
    { query: { project: project.id, limit: SHOWN, ...(q && { q }) } },
    { topics: ['client'], keepPrevious: true },
  );
}

/** The id of the only client of the project. */
export function useOnlyClient(): string | undefined {
  const [only, ...others] = useClients('').data?.body.items ?? [];
  return others.length === 0 ? only?.client_id : undefined;
}

/** Whether the project has no client; undefined while unknown. */
export function useHasNoClient(): boolean | undefined {
  const { data } = useClients('');
  return data && data.body.items.length === 0;
}

interface ClientsSelectProps {
  readonly chosen: readonly string[];
  readonly isOptional: boolean;
  readonly error: string | undefined;
  readonly onChange: (clientIds: readonly string[]) => void;
}

export function ClientsSelect({ chosen, isOptional, error, onChange }: ClientsSelectProps) {
  const [search, setSearch] = useState('');
  const [q] = useDebouncedValue(search, 150);
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const items = useClients(q).data?.body.items ?? [];
  const options = new Map([
    ...chosen.map((id) => [id, names.get(id) ?? id] as const),
    ...items.map((one) => [one.client_id, one.connected ? one.name : text.offline(one.name)] as const),
  ]);
  return (
    <MultiSelect
      label={text.clients}
      description={isOptional ? text.clientsOfListener : text.clientsHint}
      inputWrapperOrder={ORDER}
      withAsterisk={!isOptional}
      data={[...options].map(([value, label]) => ({ value, label }))}
      value={[...chosen]}
      error={error}
      onChange={(ids) => {
        setNames(options);
        onChange(ids);
      }}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      nothingFoundMessage={text.noneFits}
      clearable
      clearButtonProps={{ 'aria-label': text.clear(text.clients.toLowerCase()) }}
    />
  );
}
