import { MultiSelect } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from './texts.ts';

const text = texts.exports;
const SERVICES_MAX = 1000;

interface ServicesFieldProps {
  readonly value: string[];
  readonly onChange: (chosen: string[]) => void;
}

/** Services by name. A chosen one that does not exist any more shows its id. */
export function ServicesField({ value, onChange }: ServicesFieldProps) {
  const project = useProject();
  const found = useApi(routes.service.list, { query: { project: project.id, limit: SERVICES_MAX } });
  const names = new Map(found.data?.body.items.map(({ id, name }) => [id, name]));
  const data = [...new Set([...names.keys(), ...value])].map((id) => ({ value: id, label: names.get(id) ?? id }));
  return (
    <MultiSelect
      label={text.services}
      description={text.servicesHint}
      data={data}
      value={value}
      onChange={onChange}
      searchable
      clearable
    />
  );
}
