import { Button, Modal, Stack } from '@mantine/core';
import { type SessionUser, signOut } from '../api/index.ts';
import { SignInForm } from './sign-in-form.tsx';
import { texts } from './texts.tsx';

const text = texts.sessionEnded;

/** Covers the page when the session has ended. The page keeps all input. */
export function SessionEnded({ user }: { user: SessionUser }) {
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} title={text.title} trapFocus>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{text.text}</p>
        <SignInForm username={user.username} />
        <Button variant="subtle" color="gray" onClick={() => void signOut()}>
          {text.signInAsAnother}
        </Button>
      </Stack>
    </Modal>
  );
}
