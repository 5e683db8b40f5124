import type { PolicySummary, ServiceRecord } from '@flotilla/contract';
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { call, routes, useApi, useApiList } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Loaded, Page } from '../../../ui/index.ts';
import { type PolicyView, readPolicyView } from '../form/policy-view.ts';
import { toContent } from '../model.ts';
import { texts } from './texts.tsx';
import classes from './trial.module.css';
import { credentialNames, makeExamples } from './trial-examples.ts';
import { TrialPanel } from './trial-panel.tsx';
import { TrialTab } from './trial-tab.tsx';

const text = texts.trialPage;

type Named = Pick<ServiceRecord, 'id' | 'name'>;

/** `?policy=` selects a stored policy, `?service=` all policies of a service, as its filters run them together. */
export function TrialPage() {
  const project = useProject();
  const can = useCan();
  return (
    <Page
      title={text.page.title}
      lead={text.page.lead}
      trail={[
        <Link key="policies" to="/p/$project/policies" params={{ project: project.name }}>
          {text.page.policies}
        </Link>,
      ]}
    >
      {can(routes.shieldTrial.try) ? <Trial /> : <Empty title={text.page.notAllowed} />}
    </Page>
  );
}

function Trial() {
  const project = useProject();
  const url = useUrlState();
  const policy = url.get('policy');
  const query = { project: project.id };
  const policies = useApiList<PolicySummary>(routes.policy.list, { query }, { topics: ['policy'] });
  const services = useApiList<Named>(routes.fleet.services, { query }, { topics: ['service'] });
  // If there is only one service, it is selected by default.
  const only = services.rows.length === 1 ? services.rows[0]?.id : undefined;
  const service = url.get('service') ?? (policy === undefined ? only : undefined);
  const asked = service !== undefined ? `s ${service}` : policy !== undefined ? `p ${policy}` : null;
  return (
    <>
      <div className={classes.choice}>
        <DeciderSelect
          asked={asked}
          services={withAsked(services.rows, service)}
          policies={policies.rows.map(({ name }) => name)}
        />
      </div>
      {service !== undefined ? (
        <ServiceTrial key={asked} serviceId={service} />
      ) : policy !== undefined ? (
        <PolicyTrial key={asked} name={policy} />
      ) : (
        <NothingChosen hasPolicies={policies.total !== 0} />
      )}
    </>
  );
}

interface DeciderSelectProps {
  /** The value of the chosen option: `s <service id>` or `p <policy name>`. */
  readonly asked: string | null;
  readonly services: readonly Named[];
  readonly policies: readonly string[];
}

function DeciderSelect({ asked, services, policies }: DeciderSelectProps) {
  const url = useUrlState();
  const choose = (chosen: string | null) =>
    url.set(
      {
        service: chosen?.startsWith('s ') ? chosen.slice(2) : undefined,
        policy: chosen?.startsWith('p ') ? chosen.slice(2) : undefined,
      },
      'push',
    );
  return (
    <Select
      label={text.trial.deciders}
      placeholder={text.trial.chooseDecider}
      searchable
      w={320}
      maw="100%"
      data={[
        { group: text.trial.wholeService, items: services.map(({ id, name }) => ({ value: `s ${id}`, label: name })) },
        { group: text.trial.onePolicy, items: policies.map((name) => ({ value: `p ${name}`, label: name })) },
      ]}
      value={asked}
      onChange={choose}
    />
  );
}

function NothingChosen({ hasPolicies }: { hasPolicies: boolean }) {
  const project = useProject();
  const can = useCan();
  if (hasPolicies) return <Empty title={text.trial.emptyTitle}>{text.trial.empty}</Empty>;
  return (
    <Empty
      title={text.trial.noPolicy}
      action={
        can(routes.policy.create) && (
          <Link to="/p/$project/policies/new" params={{ project: project.name }}>
            {text.trial.createPolicy}
          </Link>
        )
      }
    >
      {text.trial.whyNoPolicy}
    </Empty>
  );
}

/** Adds the service of the link, which may not be on the first page. */
function withAsked(rows: readonly Named[], id: string | undefined): readonly Named[] {
  if (id === undefined || rows.some((row) => row.id === id)) return rows;
  return [...rows, { id, name: text.askedService }];
}

const POLICIES_READ_MAX = 8;

function ServiceTrial({ serviceId }: { serviceId: string }) {
  const project = useProject();
  const policies = useMemo(() => ({ service_id: serviceId }), [serviceId]);
  const scope = { query: { project: project.id } };
  const views = useQuery({
    queryKey: ['trial-of-service', project.id, serviceId],
    queryFn: async ({ signal }): Promise<readonly PolicyView[]> => {
      const { body } = await call(routes.fleet.service, { params: { service_id: serviceId }, ...scope }, { signal });
      const names = body.service.policies.slice(0, POLICIES_READ_MAX);
      const read = names.map((name) => call(routes.policy.get, { params: { name }, ...scope }, { signal }));
      return (await Promise.all(read)).flatMap((answer) => readPolicyView(answer.body.text) ?? []);
    },
    meta: { topics: ['policy', 'service'] },
  });
  return (
    <Loaded query={views} what={text.serviceTrial.what} skeleton={10}>
      {(read) => (
        <TrialPanel
          policies={policies}
          examples={read.flatMap(makeExamples)}
          secretNames={read.flatMap(credentialNames)}
        />
      )}
    </Loaded>
  );
}

function PolicyTrial({ name }: { name: string }) {
  const project = useProject();
  const query = useApi(routes.policy.get, { params: { name }, query: { project: project.id } }, { topics: ['policy'] });
  return (
    <Loaded
      query={query}
      what={text.policyTrial.what}
      skeleton={10}
      missing={<Empty title={text.policyTrial.missing}>{text.policyTrial.chooseAnother}</Empty>}
    >
      {({ body }) => <TrialTab content={toContent(body)} name={name} isDraft={false} />}
    </Loaded>
  );
}
