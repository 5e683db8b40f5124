import { Button, Checkbox, Popover, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { texts } from '../texts.tsx';
import type { Filter } from './columns.ts';
import type { TableState } from './table-state.ts';

const text = texts.filterMenu;

export function FilterMenu({ filters, state }: { filters: readonly Filter[]; state: TableState }) {
  return (
    <Popover position="bottom-start" withArrow trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={14} />}>
          {text.filter}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={text.title}>
        <ScrollArea.Autosize mah={360} type="auto">
          <Stack gap="sm" miw={200}>
            {filters.map((filter) => {
              const { name, label, options = [], field: Field } = filter;
              const values = state.filters[name] ?? [];
              const onChange = (next: readonly string[]) => state.setFilter(name, next);
              return Field ? (
                <Field key={name} label={label} options={options} values={values} onChange={onChange} />
              ) : (
                <FilterField key={name} filter={filter} values={values} onChange={onChange} />
              );
            })}
          </Stack>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}

interface FilterFieldProps {
  readonly filter: Filter;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

function FilterField({ filter, values, onChange }: FilterFieldProps) {
  if (!filter.options)
    return (
      <TextInput
        size="xs"
        label={filter.label}
        defaultValue={values[0] ?? ''}
        key={values[0] ?? ''}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange(event.currentTarget.value ? [event.currentTarget.value] : []);
        }}
        onBlur={(event) => {
          if (event.currentTarget.value !== (values[0] ?? ''))
            onChange(event.currentTarget.value ? [event.currentTarget.value] : []);
        }}
      />
    );
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
      <Text component="legend" size="sm" fw={500} mb={4}>
        {filter.label}
      </Text>
      <Stack gap={6}>
        {filter.options.map((option) => (
          <Checkbox
            key={option.value}
            size="xs"
            label={option.label}
            checked={values.includes(option.value)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked
                  ? [...values, option.value]
                  : values.filter((value) => value !== option.value),
              )
            }
          />
        ))}
      </Stack>
    </fieldset>
  );
}
