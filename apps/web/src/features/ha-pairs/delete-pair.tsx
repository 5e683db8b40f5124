import type { HaPair } from '@flotilla/contract';
import { Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, call, routes } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { ApiFormBody, FormDialog, Problem, useApiForm, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.ts';
import { listStale, usePairPlace } from './use-pairs.ts';

const text = texts.remove;

export function DeletePair({ pair }: { pair: HaPair }) {
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  return (
    <div>
      <Button variant="default" onClick={() => setAsking(true)}>
        {text.action}
      </Button>
      <FormDialog of={isAsking ? pair : undefined} title={({ name }) => text.title(name)} size="lg" onClose={close}>
        {(asked) => <DeleteForm pair={asked} onClose={close} />}
      </FormDialog>
    </div>
  );
}

interface Service {
  readonly id: string;
  readonly name: string;
}

function DeleteForm({ pair, onClose }: { pair: HaPair; onClose: () => void }) {
  const { plan, services, form } = useRemoval(pair);
  const isForced = services.length > 0;
  return (
    <ApiFormBody
      form={form}
      action={isForced ? text.submitForce : text.submit}
      failed={text.failed}
      isDangerous
      isReady={!plan.isPending && !plan.isError && (!isForced || form.values.typed === pair.name)}
      onCancel={onClose}
    >
      <Text>{text.text}</Text>
      {isForced && (
        <>
          <div role="alert">
            <Text fw={600}>{text.has(services.length)}</Text>
            <ul className={layout.names}>
              {services.map(({ id, name }) => (
                <li key={id}>
                  <ServiceLink id={id} name={name} />
                </li>
              ))}
            </ul>
            <Text mt="xs">{text.undeploy}</Text>
            <Text mt="xs">{text.forceText}</Text>
          </div>
          <TextInput label={text.type} autoComplete="off" spellCheck={false} {...form.field('typed')} />
        </>
      )}
      {plan.isError && form.failure === undefined && <Problem error={plan.error} what={text.failed} />}
    </ApiFormBody>
  );
}

/** A dry run finds the services that prevent the deletion, and so does the deletion itself. */
function useRemoval(pair: HaPair) {
  const project = useProject();
  const navigate = useNavigate();
  const write = useWrite();
  const place = usePairPlace(pair);
  const [met, setMet] = useState<readonly Service[]>();
  const plan = useQuery({
    queryKey: ['ha-pair-removal', pair.id],
    queryFn: () =>
      orServices(async () => {
        await call(routes.ha.remove, { ...place, query: { ...place.query, dry_run: 'true' } });
        return [];
      }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    meta: { topics: ['service', 'ha_pair'] },
  });
  const services = met ?? plan.data ?? [];
  const form = useApiForm({
    route: routes.ha.remove,
    initial: { typed: '' },
    send: async () => {
      const found = await orServices(async () => {
        const query = { ...place.query, ...(services.length > 0 && { force: 'true' as const }) };
        await write(routes.ha.remove, { ...place, query }, { done: text.done(pair.name), stale: listStale() });
        await navigate({ to: '/p/$project/ha-pairs', params: { project: project.name } });
        return undefined;
      });
      if (found) setMet(found);
    },
  });
  return { plan, services, form };
}

/** Turns the refusal because of services into their list. */
async function orServices<T>(work: () => Promise<T>): Promise<T | readonly Service[]> {
  try {
    return await work();
  } catch (failure) {
    const services = failure instanceof ApiError && failure.code === 'ha.has_services' ? readServices(failure) : [];
    if (services.length === 0) throw failure;
    return services;
  }
}

function readServices({ body }: ApiError): Service[] {
  const { services } = body;
  if (!Array.isArray(services)) return [];
  return services.flatMap((one: unknown) => {
    if (typeof one === 'string') return [{ id: one, name: one }];
    const { id, service_id = id, name, service = name } = (one ?? {}) as Record<string, unknown>;
    return typeof service_id === 'string' ? [{ id: service_id, name: String(service ?? service_id) }] : [];
  });
}
