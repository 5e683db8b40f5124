import { Button, Group } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Loaded, Notice, Page, Refusal, useSending, useWrite } from '../../ui/index.ts';
import { ClientChoice } from './client-choice.tsx';
import classes from './ha-pairs.module.css';
import type { Candidate } from './model.ts';
import { explainName, HeartbeatFields, isTaken, MemberFields, NameField, NetworkFields } from './pair-fields.tsx';
import { addMember, findProblems, NEW_PAIR, type PairValues, toCreateBody } from './pair-values.ts';
import { texts } from './texts.ts';
import { Unavailable } from './unavailable.tsx';
import { listStale, useUnavailable } from './use-pairs.ts';

const text = texts.form;

export function NewPairPage() {
  const project = useProject();
  const candidates = useApi(
    routes.ha.eligible,
    { query: { project: project.id } },
    { topics: ['client', 'ha_pair', 'service'] },
  );
  const isUnavailable = useUnavailable(candidates);
  return (
    <Page
      title={text.title}
      trail={[
        <Link key="pairs" to="/p/$project/ha-pairs" params={{ project: project.name }}>
          {texts.title}
        </Link>,
      ]}
    >
      {isUnavailable ? (
        <Unavailable onRetry={() => void candidates.refetch()} />
      ) : (
        <Loaded query={candidates} what={text.what}>
          {({ body: { items } }) => <NewPair candidates={items} />}
        </Loaded>
      )}
    </Page>
  );
}

function NewPair({ candidates }: { candidates: readonly Candidate[] }) {
  const project = useProject();
  const navigate = useNavigate();
  const write = useWrite();
  const sending = useSending();
  const [values, setValues] = useState<PairValues>(NEW_PAIR);
  const set = (change: Partial<PairValues>) => {
    sending.clear();
    setValues((all) => ({ ...all, ...change }));
  };
  const problems = findProblems(values);
  const loaded = candidates.filter(
    ({ client_id: id, service_count: services }) =>
      services > 0 && values.members.some(({ clientId }) => clientId === id),
  );
  const isBothLoaded = loaded.length > 1;
  const canSubmit = problems.length === 0 && !isBothLoaded && explainName(values.name) === undefined;
  const toggle = (one: Candidate) => {
    const others = values.members.filter(({ clientId }) => clientId !== one.client_id);
    set({ members: others.length < values.members.length ? others : addMember(others, one) });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const input = { query: {}, body: toCreateBody(values, project.id) };
      const { body } = await write(routes.ha.create, input, { done: text.created(values.name), stale: listStale() });
      const params = { project: project.name, pairId: body.id };
      await navigate({ to: '/p/$project/ha-pairs/$pairId', params });
    });
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      <NameField name={values.name} refusal={sending.error} onChange={(name) => set({ name })} />
      <ClientChoice candidates={candidates} chosen={values.members.map(({ clientId }) => clientId)} onToggle={toggle} />
      {isBothLoaded && <Notice tone="bad" title={text.bothLoaded} />}
      {values.members.length === 1 && <Notice tone="quiet" title={text.onlyOne} />}
      <MemberFields values={values} problems={problems} set={set} hasMgmt={false} />
      <HeartbeatFields values={values} problems={problems} set={set} />
      <NetworkFields values={values} problems={problems} set={set} />
      {sending.error !== undefined && !isTaken(sending.error) && <Refusal error={sending.error} what={text.failed} />}
      <Group>
        <Button type="submit" loading={sending.isBusy} disabled={!canSubmit}>
          {text.submit}
        </Button>
      </Group>
    </form>
  );
}
