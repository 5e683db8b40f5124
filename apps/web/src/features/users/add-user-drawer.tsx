import { Drawer, SegmentedControl, Stack } from '@mantine/core';
import { useUrlState } from '../../app/url-state.ts';
import { AddMember } from './add-member.tsx';
import { NewAccount } from './new-account.tsx';
import { texts } from './texts.tsx';

const text = texts.addUserDrawer;

/** `?add=member`: an existing account. `?add=account`: a new one. */
export function AddUserDrawer() {
  const url = useUrlState();
  const kind = url.get('add');
  return (
    <Drawer
      opened={kind === 'member' || kind === 'account'}
      onClose={() => url.set({ add: undefined })}
      title={text.drawer.title}
      size="lg"
    >
      <AddUser isNew={kind === 'account'} />
    </Drawer>
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
