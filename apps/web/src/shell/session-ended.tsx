import { Button, Modal, Stack } from '@mantine/core';
import { type SessionUser, signOut } from '../api/index.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Over the page, which keeps all that was typed. */
export function SessionEnded({ user }: { user: SessionUser }) {
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} title="Your session has ended" trapFocus>
      <Stack gap="md">
        <p style={{ margin: 0 }}>Sign in again to go on. This page stays as it is, with everything you typed.</p>
        <SignInForm username={user.username} />
        <Button variant="subtle" color="gray" onClick={() => void signOut()}>
          Sign in as somebody else and leave this page
        </Button>
      </Stack>
    </Modal>
  );
}
