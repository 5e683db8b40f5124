import { SegmentedControl, Stack } from '@mantine/core';
import { useUrlState } from '../../app/url-state.ts';
import { UrlDrawer } from '../../ui/index.ts';
import { AddMember } from './add-member.tsx';
import { NewAccount } from './new-account.tsx';
import { texts } from './texts.tsx';

const text = texts.addUserDrawer;

const KINDS = ['member', 'account'];

/** `?add=member`: an existing account. `?add=account`: a new one, whose password is shown once. */
export function AddUserDrawer() {
  return (
    <UrlDrawer name="add" value={KINDS} title={text.drawer.title} size="lg" holdsSecret>
      {(kind) => <AddUser isNew={kind === 'account'} />}
    </UrlDrawer>
  );
}

function AddUser({ isNew }: { isNew: boolean }) {
  const url = useUrlState();
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label={text.choice.whoIsAdded}
        data={[
          { value: 'member', label: text.choice.hasAccount },
          { value: 'account', label: text.choice.newAccount },
        ]}
        value={isNew ? 'account' : 'member'}
        onChange={(add) => url.set({ add })}
      />
      {isNew ? <NewAccount /> : <AddMember onNewAccount={() => url.set({ add: 'account' })} />}
    </Stack>
  );
}
