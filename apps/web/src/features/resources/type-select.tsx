import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { shortType } from './collections.ts';
import { texts } from './texts.tsx';

const text = texts.typeSelect;

export interface TypeSelectProps {
  readonly version: string;
  /** True for HTTP, network and listener filters. */
  readonly isFilter: boolean;
  readonly value: string | undefined;
  readonly onChange: (type: string | undefined) => void;
}

const FILTER_CATEGORIES = new Set(['envoy.filters.http', 'envoy.filters.network', 'envoy.filters.listener']);

/** Selects the type of a filter or an extension, by title, canonical name or message. */
export function TypeSelect({ version, isFilter, value, onChange }: TypeSelectProps) {
  const extensions = useApi(routes.schema.extensions, { query: { version } });
  const items = extensions.data?.body.items;
  const groups = useMemo(() => {
    const byCategory = new Map<string, Map<string, string>>();
    for (const item of items ?? []) {
      if (isFilter !== FILTER_CATEGORIES.has(item.category)) continue;
      const group = byCategory.get(item.category) ?? new Map<string, string>();
      // One message may have several canonical names.
      if (!group.has(item.type)) group.set(item.type, `${item.title} (${item.name})`);
      byCategory.set(item.category, group);
    }
    const seen = new Set<string>();
    return [...byCategory].map(([category, group]) => ({
      group: category,
      items: [...group]
        .filter(([type]) => !seen.has(type) && seen.add(type))
        .map(([type, label]) => ({ value: type, label })),
    }));
  }, [items, isFilter]);
  const isListed = groups.some((group) => group.items.some((item) => item.value === value));
  const data =
    value && !isListed ? [...groups, { group: text.otherTypes, items: [{ value, label: shortType(value) }] }] : groups;
  return (
    <Select
      label={text.type}
      placeholder={text.search}
      required
      searchable
      limit={200}
      data={data}
      value={value ?? null}
      onChange={(type) => onChange(type ?? undefined)}
      nothingFoundMessage={text.notFound}
    />
  );
}
