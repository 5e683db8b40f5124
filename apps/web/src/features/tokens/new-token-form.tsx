import type { Role, RouteFamily } from '@flotilla/contract';
import { Button, Checkbox, Select, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { judgeName, NAME_HINT, RoleSelect, rolesWithin } from '../../accounts/index.ts';
import { ApiError, call, fieldError, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { formatExact, Problem, toWord, useSending } from '../../ui/index.ts';
import type { CreatedToken } from './new-token-drawer.tsx';
import { EXPIRIES, EXPIRY_DEFAULT, type Expiry, FAMILIES, toExpiresAt } from './token-model.ts';
import classes from './tokens.module.css';

export function NewTokenForm({ onCreated }: { onCreated: (token: CreatedToken) => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [families, setFamilies] = useState<readonly RouteFamily[]>([]);
  const [expiry, setExpiry] = useState<Expiry>(EXPIRY_DEFAULT);
  const [date, setDate] = useState('');
  const { error } = sending;
  const expiresAt = toExpiresAt(expiry, date, Date.now());
  const isTaken = error instanceof ApiError && error.code === 'record.exists';
  const nameError = isTaken ? 'This project has a token of this name.' : (judgeName(name) ?? fieldError(error, 'name'));
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
        <TextInput
          label="Name"
          description={`What uses it, so that one knows later what breaks without it. ${NAME_HINT}`}
          placeholder="ci-deploy"
          required
          withAsterisk={false}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={name}
          error={nameError}
          onChange={(event) => {
            sending.clear();
            setName(event.currentTarget.value);
          }}
          data-autofocus
        />
        <RoleSelect
          label="Role"
          description="The least that does. Never more than your own role at the time of a request."
          roles={rolesWithin(project.role)}
          value={role}
          onChange={setRole}
        />
        <Checkbox.Group
          label={texts.tokens.families}
          description={texts.tokens.familiesHint}
          value={[...families]}
          onChange={(values) => setFamilies(FAMILIES.filter((one) => values.includes(one)))}
        >
          <div className={classes.families}>
            {FAMILIES.map((family) => (
              <Checkbox key={family} value={family} label={toWord(family)} />
            ))}
          </div>
        </Checkbox.Group>
        <Select
          label="Expires"
          description={describeEnd(expiry, expiresAt)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={[...EXPIRIES]}
          allowDeselect={false}
          value={expiry}
          onChange={(value) => setExpiry(EXPIRIES.find((one) => one.value === value)?.value ?? EXPIRY_DEFAULT)}
        />
        {expiry === 'date' && (
          <TextInput
            label="Last day"
            type="date"
            required
            withAsterisk={false}
            value={date}
            error={date !== '' && expiresAt === undefined ? 'This day is over.' : undefined}
            onChange={(event) => setDate(event.currentTarget.value)}
          />
        )}
        {error !== undefined && nameError === undefined && <Problem error={error} what="The token was not created" />}
        <div>
          <Button
            type="submit"
            loading={sending.isBusy}
            disabled={name === '' || judgeName(name) !== undefined || expiresAt === undefined}
          >
            Create
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function describeEnd(expiry: Expiry, expiresAt: string | null | undefined): string {
  if (expiry === 'never') return 'It works until somebody revokes it: better give it an end.';
  return expiresAt ? `It works until ${formatExact(expiresAt)}.` : 'It works until that day is over.';
}
