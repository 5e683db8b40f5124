import { ActionIcon, Button, Checkbox, CloseButton, Popover, Stack, Switch, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconDownload, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { ApiList } from '../../api/index.ts';
import { texts } from '../texts.tsx';
import type { Column, Filter } from './columns.ts';
import { downloadText, toCsv } from './csv.ts';
import { FilterMenu } from './filter-menu.tsx';
import classes from './table.module.css';
import type { TableLook, TableState } from './table-state.ts';

const words = texts.toolbar;

export interface ToolbarProps<T> {
  readonly name: string;
  readonly list: ApiList<T>;
  readonly state: TableState;
  readonly columns: readonly Column<T>[];
  readonly filters: readonly Filter[];
  readonly searches?: string;
  readonly look: TableLook;
  readonly total: number | undefined;
  readonly actions?: ReactNode;
}

/** Search, filters as removable chips, columns, density and CSV of a list. */
export function Toolbar<T>({ name, list, state, columns, filters, searches, look, total, actions }: ToolbarProps<T>) {
  const chips = filters.flatMap((filter) =>
    (state.filters[filter.name] ?? []).map((value) => ({
      filter,
      value,
      label: filter.describe?.(value) ?? filter.options?.find((option) => option.value === value)?.label ?? value,
    })),
  );
  return (
    <div className={classes.bar} role="search" aria-label={words.bar.search(name)}>
      {searches && <SearchInput value={state.q} placeholder={searches} onChange={state.setQ} name={name} />}
      {filters.length > 0 && <FilterMenu filters={filters} state={state} />}
      {chips.map(({ filter, value, label }) => (
        <span key={`${filter.name} ${value}`} className={classes.chip}>
          <span>
            {filter.label}: {label}
          </span>
          <CloseButton
            size="xs"
            aria-label={words.bar.removeFilter(filter.label, label)}
            onClick={() =>
              state.setFilter(
                filter.name,
                (state.filters[filter.name] ?? []).filter((one) => one !== value),
              )
            }
          />
        </span>
      ))}
      {(chips.length > 0 || state.q) && (
        <Button variant="subtle" color="gray" onClick={state.clear}>
          {words.bar.clear}
        </Button>
      )}
      <span className={classes.grow} />
      <span className={classes.count} role="status">
        {list.query.isPending
          ? null
          : `${total === undefined ? `${list.rows.length}+` : total.toLocaleString()} ${total === 1 ? 'row' : 'rows'}`}
      </span>
      {actions && <div className={classes.actions}>{actions}</div>}
      <Tooltip label={words.bar.downloadHint}>
        <ActionIcon
          aria-label={words.bar.download}
          onClick={() => downloadText(`${name}.csv`, 'text/csv', toCsv(columns, list.rows))}
        >
          <IconDownload size={16} />
        </ActionIcon>
      </Tooltip>
      <LookMenu columns={columns} look={look} />
    </div>
  );
}

const SEARCH_GATHER_MS = 70;

interface SearchInputProps {
  readonly value: string;
  readonly placeholder: string;
  readonly name: string;
  readonly onChange: (text: string) => void;
}

function SearchInput({ value, placeholder, name, onChange }: SearchInputProps) {
  const [text, setText] = useState(value);
  const tell = useDebouncedCallback(onChange, SEARCH_GATHER_MS);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      className={classes.search}
      size="xs"
      type="search"
      leftSection={<IconSearch size={14} />}
      aria-label={texts.toolbar.bar.search(name)}
      placeholder={placeholder}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        tell(event.currentTarget.value);
      }}
    />
  );
}

function LookMenu<T>({ columns, look }: { columns: readonly Column<T>[]; look: TableLook }) {
  return (
    <Popover position="bottom-end" withArrow trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={words.lookMenu.title}>
          <ActionIcon aria-label={words.lookMenu.title}>
            <IconAdjustmentsHorizontal size={16} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={words.lookMenu.title}>
        <Stack gap={8}>
          <Switch
            size="xs"
            label={words.lookMenu.denseRows}
            checked={look.isDense}
            onChange={(event) => look.setDense(event.currentTarget.checked)}
          />
          {columns.map((column) => (
            <Checkbox
              key={column.id}
              size="xs"
              label={column.header}
              checked={!look.hidden[column.id]}
              onChange={(event) => look.setVisible(column.id, event.currentTarget.checked)}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
