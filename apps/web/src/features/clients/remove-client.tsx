import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone } from '../../ui/index.ts';
import classes from './client.module.css';
import type { WholeClient } from './model.ts';
import { readTargeting, type TargetingService } from './targeting.ts';

const text = texts.clients.removeClient;

interface RemoveClientProps {
  readonly client: WholeClient;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Permanently removes a client. If services target it, lists them and asks for the client's name. */
export function RemoveClient({ client, opened, onClose }: RemoveClientProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.dialog.title(<bdi>{client.name}</bdi>)} size="lg">
      <RemoveForm client={client} onClose={onClose} />
    </Modal>
  );
}

function RemoveForm({ client, onClose }: Omit<RemoveClientProps, 'opened'>) {
  const project = useProject();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [met, setMet] = useState<readonly TargetingService[]>();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const input = { params: { client_id: client.client_id }, query: { project: project.id } };
  const plan = useQuery({
    queryKey: ['client-removal', client.client_id],
    queryFn: async () => {
      try {
        await call(routes.client.remove, { ...input, query: { ...input.query, dry_run: 'true' } });
        return [];
      } catch (failure) {
        const services = failure instanceof ApiError ? readTargeting(failure.body) : undefined;
        if (!services) throw failure;
        return services;
      }
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
    meta: { topics: ['service'] },
  });
  const targeting = met ?? plan.data;
  const isForced = targeting !== undefined && targeting.length > 0;
  const remove = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await call(routes.client.remove, isForced ? { ...input, query: { ...input.query, force: 'true' } } : input);
      await navigate({ to: '/p/$project/clients', params: { project: project.name } });
      sayDone(text.form.done(client.name));
      void invalidate(queryClient, routes.client.list, routes.overview.read, routes.service.list);
    } catch (failure) {
      const services = failure instanceof ApiError ? readTargeting(failure.body) : undefined;
      if (services) setMet(services);
      else setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void remove(event)}>
      <Stack gap="md">
        <Text component="ul" className={classes.plainList}>
          <li>{text.form.certificatesRevoked}</li>
          <li>{text.form.recordsGone}</li>
          <li>{text.form.proxiesRunOn}</li>
          <li>{text.form.comesBack}</li>
        </Text>
        {isForced && (
          <>
            <div role="alert">
              <Text fw={600}>{text.form.targeted(targeting.length)}</Text>
              <ul className={classes.plainList}>
                {targeting.map(({ id, name }) => (
                  <li key={id}>
                    <ServiceLink id={id} name={name} />
                  </li>
                ))}
              </ul>
              <Text mt="xs">{text.form.byForce}</Text>
            </div>
            <TextInput
              label={text.form.typeName(<bdi className="mono">{client.name}</bdi>)}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
            />
          </>
        )}
        {plan.isError && error === undefined && <Problem error={plan.error} what={text.form.failed} />}
        {error !== undefined && <Problem error={error} what={text.form.failed} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {texts.ui.confirm.cancel}
          </Button>
          <Button
            type="submit"
            color="red.9"
            loading={isBusy}
            disabled={plan.isPending || (isForced && typed !== client.name)}
          >
            {isForced ? text.form.removeByForce : text.form.remove}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
