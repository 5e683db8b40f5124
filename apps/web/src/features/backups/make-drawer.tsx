import type { backupRoutes, CallOutput } from '@flotilla/contract';
import { PasswordInput, Radio, Stack, TextInput } from '@mantine/core';
import { routes } from '../../api/index.ts';
import { useUser } from '../../app/project.tsx';
import { ApiFormBody, UrlDrawer, useApiForm, useWrite } from '../../ui/index.ts';
import { useScope } from './scope.ts';
import { texts } from './texts.ts';

const text = texts;
const PROTECTIONS = ['installation', 'passphrase', 'none'] as const;

export type StartedJob = CallOutput<typeof backupRoutes.export>['job'];

export function MakeDrawer({ onStarted }: { onStarted: (job: StartedJob) => void }) {
  return (
    <UrlDrawer name="make" value="backup" title={text.make.title}>
      {(_, close) => (
        <MakeForm
          onStarted={(job) => {
            onStarted(job);
            close();
          }}
        />
      )}
    </UrlDrawer>
  );
}

function MakeForm({ onStarted }: { onStarted: (job: StartedJob) => void }) {
  const { query } = useScope();
  const { is_owner: isOwner } = useUser();
  const write = useWrite();
  const form = useApiForm({
    route: routes.backup.export,
    initial: { protection: 'installation', passphrase: '', description: '' },
    messages: { 'backup.owner_passphrase': 'passphrase' },
    // A passphrase that is hidden must not keep the form from being sent.
    check: ({ protection }) => (protection === 'passphrase' ? {} : { passphrase: undefined }),
    send: async ({ protection, passphrase, description }) => {
      const body = {
        secret_free: protection === 'none',
        ...(protection === 'passphrase' && { passphrase }),
        ...(description !== '' && { description }),
      };
      onStarted((await write(routes.backup.export, { query, body }, { stale: [routes.backup.list] })).body.job);
    },
  });
  const { protection, passphrase } = form.values;
  return (
    <ApiFormBody
      form={form}
      action={text.make.start}
      failed={text.make.failed}
      isReady={protection !== 'passphrase' || passphrase !== ''}
    >
      <Radio.Group label={text.make.protection} {...form.field('protection')}>
        <Stack gap="xs" mt={6}>
          {PROTECTIONS.filter((one) => isOwner || one !== 'passphrase').map((one) => {
            const [label, hint] = text.make.protections[one];
            return <Radio key={one} value={one} label={label} description={hint} />;
          })}
        </Stack>
      </Radio.Group>
      {protection === 'passphrase' && (
        <PasswordInput
          label={text.passphrase}
          description={text.passphraseHint}
          autoComplete="new-password"
          {...form.field('passphrase')}
        />
      )}
      <TextInput
        label={text.make.description}
        description={text.make.descriptionHint}
        autoComplete="off"
        {...form.field('description')}
      />
    </ApiFormBody>
  );
}
