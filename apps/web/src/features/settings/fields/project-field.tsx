import { Select } from '@mantine/core';
import { useUser } from '../../../app/project.tsx';

interface ProjectFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly readOnly: boolean;
  readonly required: boolean;
  readonly value: unknown;
  readonly onChange: (projectId: string) => void;
}

/** Selects a project by name. A deleted or inaccessible project is shown by its ID. */
export function ProjectField({ value, onChange, ...input }: ProjectFieldProps) {
  const projects = useUser().memberships.map(({ project, project_name }) => ({ value: project, label: project_name }));
  const chosen = typeof value === 'string' ? value : null;
  const isKnown = chosen === null || projects.some(({ value: id }) => id === chosen);
  return (
    <Select
      {...input}
      searchable
      data={isKnown ? projects : [...projects, { value: chosen, label: chosen }]}
      allowDeselect={false}
      value={chosen}
      onChange={(id) => {
        if (id !== null) onChange(id);
      }}
    />
  );
}
