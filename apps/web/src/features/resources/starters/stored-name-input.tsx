import type { Collection } from '@flotilla/contract';
import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { texts } from '../texts.tsx';
import type { Question } from './answers.ts';

const text = texts.starters;
const LISTED_MAX = 200;

interface StoredKind {
  readonly collection: Collection;
  /** Only secrets that hold this. */
  readonly content?: string;
}

/** Questions that are answered with the name of a stored document. */
export const STORED_KINDS: Readonly<Partial<Record<Question['kind'], StoredKind>>> = {
  cluster: { collection: 'clusters' },
  endpoints: { collection: 'endpoints' },
  routes: { collection: 'routes' },
  certificate: { collection: 'secrets', content: 'tls_certificate' },
  authorities: { collection: 'secrets', content: 'validation_context' },
};

interface StoredNameInputProps extends Omit<AutocompleteProps, 'onChange'> {
  readonly stored: StoredKind;
  readonly version: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Free text with the stored names as options. The only stored document is the answer until the user types another. */
export function StoredNameInput({ stored, version, value, onChange, ...input }: StoredNameInputProps) {
  const project = useProject();
  const [q] = useDebouncedValue(value, 150);
  const { collection, content } = stored;
  const query = { project: project.id, version, collection, limit: LISTED_MAX };
  const all = useApi(routes.schema.candidates, { query }, { topics: ['document'] });
  const isPart = all.data?.body.truncated === true;
  const narrowed = useApi(
    routes.schema.candidates,
    { query: { ...query, q } },
    { topics: ['document'], keepPrevious: true, enabled: isPart && q !== '' },
  );
  const items = (isPart ? narrowed : all).data?.body.items ?? all.data?.body.items;
  const names = items?.filter((item) => content === undefined || item.content === content).map(({ name }) => name);
  useOnlyName(isPart ? undefined : names, value, onChange);
  return (
    <Autocomplete
      {...input}
      value={value}
      onChange={onChange}
      data={[...new Set(names)]}
      description={explainName(names, value, isPart)}
    />
  );
}

function useOnlyName(names: readonly string[] | undefined, value: string, onChange: (name: string) => void): void {
  const isOffered = useRef(false);
  useEffect(() => {
    if (names === undefined || isOffered.current) return;
    isOffered.current = true;
    const [only, ...others] = names;
    if (only !== undefined && others.length === 0 && value === '') onChange(only);
  }, [names, value, onChange]);
}

function explainName(names: readonly string[] | undefined, value: string, isPart: boolean): string | undefined {
  if (names === undefined || isPart) return undefined;
  if (names.length === 0) return text.noDocuments;
  return value === '' || names.includes(value.trim()) ? undefined : text.missingDocument;
}
