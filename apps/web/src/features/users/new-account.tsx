import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../app/project.tsx';
import { ShownOnce } from '../../ui/index.ts';
import { type CreatedUser, NewAccountForm } from './new-account-form.tsx';

/** Makes an account, and shows the password that was made for it, once. */
export function NewAccount() {
  const [created, setCreated] = useState<CreatedUser>();
  if (created) return <Created created={created} onAgain={() => setCreated(undefined)} />;
  return <NewAccountForm onCreated={setCreated} />;
}

function Created({ created, onAgain }: { created: CreatedUser; onAgain: () => void }) {
  const project = useProject();
  return (
    <Stack gap="md">
      <Text role="status">
        The account <bdi className="mono">{created.username}</bdi> is created.
      </Text>
      {created.initial_password !== undefined && (
        <ShownOnce secret={created.initial_password} what="password">
          Tell it to <bdi>{created.username}</bdi> in a safe way. Only a hash of it is kept: nobody can show it again,
          but you can set another. It can be changed under Profile after signing in.
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
          Open the user
        </Button>
        <Button variant="default" onClick={onAgain}>
          Create another account
        </Button>
      </Group>
    </Stack>
  );
}
