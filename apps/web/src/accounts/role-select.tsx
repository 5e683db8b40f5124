import type { Role } from '@flotilla/contract';
import { Select } from '@mantine/core';
import { ROLE_MEANINGS, toRole } from './roles.ts';

interface RoleSelectProps {
  readonly label: string;
  readonly description?: string;
  readonly roles: readonly Role[];
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

/** Select with the roles that the user may give, and what each allows. */
export function RoleSelect({ label, description, roles, value, onChange }: RoleSelectProps) {
  return (
    <Select
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={[...roles]}
      allowDeselect={false}
      value={value}
      onChange={(text) => {
        const role = toRole(text);
        if (role) onChange(role);
      }}
      renderOption={({ option }) => <RoleOption value={option.value} />}
    />
  );
}

function RoleOption({ value }: { value: string }) {
  const role = toRole(value);
  return (
    <div>
      <div>{value}</div>
      {role && <div style={{ color: 'var(--mantine-color-dimmed)' }}>{ROLE_MEANINGS[role]}</div>}
    </div>
  );
}
