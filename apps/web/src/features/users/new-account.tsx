import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../app/project.tsx';
import { ShownOnce } from '../../ui/index.ts';
import { type CreatedUser, NewAccountForm } from './new-account-form.tsx';
import { texts } from './texts.tsx';

const text = texts.newAccount;

/** Creates an account, and shows its generated password once. */
export function NewAccount() {
  const [created, setCreated] = useState<CreatedUser>();
  if (created) return <Created created={created} onAgain={() => setCreated(undefined)} />;
  return <NewAccountForm onCreated={setCreated} />;
}

function Created({ created, onAgain }: { created: CreatedUser; onAgain: () => void }) {
  const project = useProject();
  return (
    <Stack gap="md">
      <Text role="status">{text.created(<bdi className="mono">{created.username}</bdi>)}</Text>
      {created.initial_password !== undefined && (
        <ShownOnce secret={created.initial_password} what={text.secret}>
          {text.shownOnce(<bdi>{created.username}</bdi>)}
        </ShownOnce>
      )}
      <Group gap="xs">
        <Button
          renderRoot={(props) => (
            <Link
              to="/p/$project/users/$userId"
              params={{ project: project.name, userId: created.id }}
              search={{}}
              {...props}
            />
          )}
        >
          {text.openUser}
        </Button>
        <Button variant="default" onClick={onAgain}>
          {text.createAnother}
        </Button>
      </Group>
    </Stack>
  );
}
