import { ROUTE_FAMILIES, type Role, type RouteFamily, type TokenRules } from '@flotilla/contract';
import { Checkbox, Select, SimpleGrid, TextInput } from '@mantine/core';
import { NAME_HINT, NameField, RoleSelect, rolesWithin } from '../../accounts/index.ts';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { ApiFormBody, formatExact, toWord, useApiForm, useWrite } from '../../ui/index.ts';
import { texts } from './texts.tsx';
import { type CreatedToken, type Expiry, toExpiresAt, toExpiries } from './token-model.ts';

const text = texts.newTokenForm;

interface NewTokenFormProps {
  /** Limits and defaults of the installation. */
  readonly rules: TokenRules;
  readonly onCreated: (token: CreatedToken) => void;
}

function useNewTokenForm({ rules, onCreated }: NewTokenFormProps) {
  const project = useProject();
  const write = useWrite();
  return useApiForm({
    route: routes.apiToken.create,
    initial: {
      name: '',
      role: 'viewer' as Role,
      scopes: [...rules.default_families] as RouteFamily[],
      expires_at: toExpiries(rules).first as Expiry,
      day: '',
    },
    refusals: { 'record.exists': { name: text.form.nameTaken } },
    check: ({ expires_at: expiry, day }) =>
      day !== '' && toExpiresAt(expiry, day, Date.now()) === undefined ? { day: text.form.dayIsOver } : {},
    send: async ({ name, role, scopes, expires_at: expiry, day }) => {
      const expiresAt = toExpiresAt(expiry, day, Date.now());
      if (expiresAt === undefined) return;
      const body = { name, role, families: scopes.length > 0 ? scopes : null, expires_at: expiresAt };
      const created = await write(
        routes.apiToken.create,
        { query: { project: project.id }, body },
        { stale: [routes.apiToken.list] },
      );
      onCreated(created.body);
    },
  });
}

export function NewTokenForm({ rules, onCreated }: NewTokenFormProps) {
  const project = useProject();
  const form = useNewTokenForm({ rules, onCreated });
  const { expires_at: expiry, day } = form.values;
  const expiresAt = toExpiresAt(expiry, day, Date.now());
  return (
    <ApiFormBody form={form} action={text.form.create} failed={text.form.failed} isReady={expiresAt !== undefined}>
      <NameField
        label={text.form.name}
        description={text.form.nameHint(NAME_HINT)}
        placeholder={text.form.nameExample}
        {...form.field('name')}
        isFirst
      />
      <RoleSelect
        label={text.form.role}
        description={text.form.roleHint}
        roles={rolesWithin(project.role)}
        value={form.values.role}
        onChange={(role) => form.set('role', role)}
      />
      <Checkbox.Group label={texts.families} description={texts.familiesHint} {...form.field('scopes')}>
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm" verticalSpacing={6} mt={6}>
          {ROUTE_FAMILIES.map((family) => (
            <Checkbox key={family} value={family} label={toWord(family)} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <Select
        label={text.form.expires}
        description={`${describeEnd(expiry, expiresAt)}${describeBound(rules)}`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={toExpiries(rules).choices}
        allowDeselect={false}
        {...form.field('expires_at')}
      />
      {expiry === 'date' && (
        <TextInput label={text.form.lastDay} type="date" required withAsterisk={false} {...form.field('day')} />
      )}
    </ApiFormBody>
  );
}

function describeBound({ longest_days }: TokenRules): string {
  return longest_days === null ? '' : ` ${texts.bound(longest_days)}`;
}

function describeEnd(expiry: Expiry, expiresAt: string | null | undefined): string {
  if (expiry === 'never') return text.end.worksUntilRevoked;
  return expiresAt ? text.end.worksUntil(formatExact(expiresAt)) : text.end.worksToEndOfDay;
}
