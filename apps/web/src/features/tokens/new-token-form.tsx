import { ROUTE_FAMILIES, type Role, type RouteFamily, type TokenRules } from '@flotilla/contract';
import { Button, Checkbox, Select, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { explainName, judgeName, NAME_HINT, NameField, RoleSelect, rolesWithin } from '../../accounts/index.ts';
import { call, fieldError, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { formatExact, Problem, toWord, useSending } from '../../ui/index.ts';
import { type CreatedToken, type Expiry, toExpiresAt, toExpiries } from './token-model.ts';
import classes from './tokens.module.css';

const text = texts.tokens.newTokenForm;

interface NewTokenFormProps {
  /** Limits and defaults of the installation. */
  readonly rules: TokenRules;
  readonly onCreated: (token: CreatedToken) => void;
}

export function NewTokenForm({ rules, onCreated }: NewTokenFormProps) {
  const project = useProject();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [families, setFamilies] = useState<readonly RouteFamily[]>(rules.default_families);
  const expiries = toExpiries(rules);
  const [expiry, setExpiry] = useState<Expiry>(expiries.first);
  const [date, setDate] = useState('');
  const { error } = sending;
  const expiresAt = toExpiresAt(expiry, date, Date.now());
  const nameError = explainName(name, error, { taken: text.form.nameTaken });
  const endError = fieldError(error, 'expires_at');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (expiresAt === undefined) return;
    await sending.send(async () => {
      const { body } = await call(routes.apiToken.create, {
        query: { project: project.id },
        body: { name, role, families: families.length > 0 ? [...families] : null, expires_at: expiresAt },
      });
      onCreated(body);
      void invalidate(queryClient, routes.apiToken.list);
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <NameField
          label={text.form.name}
          description={text.form.nameHint(NAME_HINT)}
          placeholder={text.form.nameExample}
          value={name}
          error={nameError}
          onChange={(typed) => {
            sending.clear();
            setName(typed);
          }}
          isFirst
        />
        <RoleSelect
          label={text.form.role}
          description={text.form.roleHint}
          roles={rolesWithin(project.role)}
          value={role}
          onChange={setRole}
        />
        <Checkbox.Group
          label={texts.tokens.families}
          description={texts.tokens.familiesHint}
          value={[...families]}
          onChange={(values) => setFamilies(ROUTE_FAMILIES.filter((one) => values.includes(one)))}
        >
          <div className={classes.families}>
            {ROUTE_FAMILIES.map((family) => (
              <Checkbox key={family} value={family} label={toWord(family)} />
            ))}
          </div>
        </Checkbox.Group>
        <Select
          label={text.form.expires}
          description={`${describeEnd(expiry, expiresAt)}${describeBound(rules)}`}
          error={endError}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={expiries.choices}
          allowDeselect={false}
          value={expiry}
          onChange={(value) => {
            sending.clear();
            setExpiry(value ?? expiries.first);
          }}
        />
        {expiry === 'date' && (
          <TextInput
            label={text.form.lastDay}
            type="date"
            required
            withAsterisk={false}
            value={date}
            error={date !== '' && expiresAt === undefined ? text.form.dayIsOver : undefined}
            onChange={(event) => setDate(event.currentTarget.value)}
          />
        )}
        {error !== undefined && nameError === undefined && endError === undefined && (
          <Problem error={error} what={text.form.failed} />
        )}
        <div>
          <Button
            type="submit"
            loading={sending.isBusy}
            disabled={name === '' || judgeName(name) !== undefined || expiresAt === undefined}
          >
            {text.form.create}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function describeBound({ longest_days }: TokenRules): string {
  return longest_days === null ? '' : ` ${texts.tokens.bound(longest_days)}`;
}

function describeEnd(expiry: Expiry, expiresAt: string | null | undefined): string {
  if (expiry === 'never') return text.end.worksUntilRevoked;
  return expiresAt ? text.end.worksUntil(formatExact(expiresAt)) : text.end.worksToEndOfDay;
}
