import type { backupRoutes, CallOutput } from '@flotilla/contract';
import { Button, Drawer, PasswordInput, Radio, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, call, fieldError, invalidate, routes } from '../../api/index.ts';
import { useUser } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Problem, useSending } from '../../ui/index.ts';
import { PASSPHRASE_MIN } from './backup-model.ts';
import { useScope } from './scope.ts';

const text = texts.backups;
const PROTECTIONS = ['installation', 'passphrase', 'none'] as const;
type Protection = (typeof PROTECTIONS)[number];

export type StartedJob = CallOutput<typeof backupRoutes.export>['job'];

export function MakeDrawer({ onStarted }: { onStarted: (job: StartedJob) => void }) {
  const url = useUrlState();
  const close = () => url.set({ make: undefined });
  return (
    <Drawer opened={url.get('make') === 'backup'} onClose={close} title={text.make.title}>
      <MakeForm
        onStarted={(job) => {
          onStarted(job);
          close();
        }}
      />
    </Drawer>
  );
}

function MakeForm({ onStarted }: { onStarted: (job: StartedJob) => void }) {
  const { query } = useScope();
  const { is_owner: isOwner } = useUser();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [protection, setProtection] = useState<Protection>('installation');
  const [passphrase, setPassphrase] = useState('');
  const [description, setDescription] = useState('');
  const isByPhrase = protection === 'passphrase';
  const { error } = sending;
  const isOwnersOnly = error instanceof ApiError && error.code === 'backup.owner_passphrase';
  const phraseError = isOwnersOnly ? error.message : fieldError(error, 'passphrase');
  const noteError = fieldError(error, 'description');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const { body } = await call(routes.backup.export, {
        query,
        body: {
          secret_free: protection === 'none',
          ...(isByPhrase && { passphrase }),
          ...(description !== '' && { description }),
        },
      });
      void invalidate(queryClient, routes.backup.list);
      onStarted(body.job);
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Radio.Group
          label={text.make.protection}
          value={protection}
          onChange={(value) => setProtection(PROTECTIONS.find((one) => one === value) ?? 'installation')}
        >
          <Stack gap="xs" mt={6}>
            {PROTECTIONS.filter((one) => isOwner || one !== 'passphrase').map((one) => {
              const [label, hint] = text.make.protections[one];
              return <Radio key={one} value={one} label={label} description={hint} />;
            })}
          </Stack>
        </Radio.Group>
        {isByPhrase && (
          <PasswordInput
            label={text.passphrase}
            description={text.passphraseHint}
            autoComplete="new-password"
            value={passphrase}
            error={
              phraseError ??
              (passphrase !== '' && passphrase.length < PASSPHRASE_MIN ? text.passphraseShort : undefined)
            }
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
        )}
        <TextInput
          label={text.make.description}
          description={text.make.descriptionHint}
          maxLength={200}
          autoComplete="off"
          value={description}
          error={noteError}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {error !== undefined && !phraseError && !noteError && <Problem error={error} what={text.make.failed} />}
        <div>
          <Button type="submit" loading={sending.isBusy} disabled={isByPhrase && passphrase.length < PASSPHRASE_MIN}>
            {text.make.start}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
