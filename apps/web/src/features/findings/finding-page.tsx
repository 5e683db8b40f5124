import type { FindingDetail } from '@flotilla/contract';
import { Button, Group, Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Columns, Facts, RecordPage, Section, State, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { EventsLink, nameOf, SEVERITY_LOOKS, inventoryTexts as shared, shortNameOf } from '../inventory/index.ts';
import { ChangeDialog } from './change-dialog.tsx';
import type { Asked } from './change-model.ts';
import { DraftButton } from './draft-button.tsx';
import { EvidencePart } from './evidence-meter.tsx';
import { isOpen, STATE_LOOKS } from './finding-look.ts';
import classes from './findings.module.css';
import { HistoryPart } from './history-part.tsx';
import { texts } from './texts.tsx';

const text = texts.page;
const SKELETON_PX = 480;

/** One finding: what it is, what the traffic shows, who did what. */
export function FindingPage() {
  const { findingId } = useParams({ from: '/p/$project/traffic/findings/$findingId' });
  const project = useProject();
  const [asked, setAsked] = useState<Asked>();
  const query = useApi(
    routes.finding.get,
    { params: { finding_id: findingId }, query: { project: project.id } },
    { topics: ['finding'] },
  );
  return (
    <>
      <RecordPage
        words={text}
        query={query}
        list={{
          name: texts.list,
          link: (label) => (
            <Link to="/p/$project/traffic/findings" params={{ project: project.name }}>
              {label}
            </Link>
          ),
        }}
        title={({ title, operation }) => text.name(title, shortNameOf(operation))}
        beside={({ state }) => <State {...STATE_LOOKS[state]} />}
        actions={({ body }) => <Actions finding={body} onAsk={setAsked} />}
        whyMissing={text.whyMissing}
        skeleton={<Skeleton height={SKELETON_PX} />}
      >
        {({ body }) => (
          <Columns isEven aside={<Aside finding={body} />}>
            <Explanation finding={body} />
            <HistoryPart findingId={body.id} />
          </Columns>
        )}
      </RecordPage>
      <ChangeDialog asked={asked} onClose={() => setAsked(undefined)} />
    </>
  );
}

function Actions({ finding, onAsk }: { finding: FindingDetail; onAsk: (asked: Asked) => void }) {
  const can = useCan();
  if (!can(routes.finding.changeMany)) return null;
  const ask = (to: Asked['to'], word: string) => (
    <Button variant="default" onClick={() => onAsk({ select: { ids: [finding.id] }, count: 1, to })}>
      {word}
    </Button>
  );
  const { state } = finding;
  return (
    <>
      {isOpen(state) && state !== 'acknowledged' && ask('acknowledged', texts.actions.acknowledge)}
      {isOpen(state) && state !== 'fix_claimed' && ask('fix_claimed', texts.actions.claim)}
      {isOpen(state) && ask('accepted', texts.actions.accept)}
      {ask('owner', texts.actions.assign)}
      <DraftButton findings={[finding]} />
    </>
  );
}

function Explanation({ finding: { texts: said, events, operation, state } }: { finding: FindingDetail }) {
  const project = useProject();
  const search = { operation_id: events.operation_id, from: events.from, to: events.to };
  return (
    <Section title={text.how}>
      <div className={layout.stack}>
        <p className={classes.what}>{said.what}</p>
        {said.steps.length > 0 && (
          <ol className={classes.steps}>
            {said.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        )}
        <Facts
          facts={[
            [text.why, said.why],
            [text.detected, said.detected],
          ]}
        />
        <Group gap="md">
          <EventsLink search={events.risk_flag === null ? search : { ...search, risk_flag: events.risk_flag }}>
            {events.risk_flag === null ? text.requests : text.events}
          </EventsLink>
          {state !== 'operation_gone' && (
            <Link
              to="/p/$project/traffic/endpoints/$endpointId"
              params={{ project: project.name, endpointId: operation.id }}
              title={nameOf(operation)}
            >
              {text.showEndpoint}
            </Link>
          )}
        </Group>
      </div>
    </Section>
  );
}

function Aside({ finding }: { finding: FindingDetail }) {
  const { severity, owner, reason, state_by: by, accepted_until: until } = finding;
  return (
    <>
      <EvidencePart evidence={finding.evidence} state={finding.state} />
      <Section title={text.facts}>
        <Facts
          facts={[
            [texts.columns.severity, <State key="severity" {...SEVERITY_LOOKS[severity]} />],
            [
              text.state,
              <span key="state">
                {texts.states[finding.state]} <Time at={finding.state_since} />{' '}
                {by !== null && <bdi>{text.stateBy(by)}</bdi>}
              </span>,
            ],
            [text.reason, reason === null ? undefined : <bdi key="reason">{reason}</bdi>],
            [text.until, until === null ? undefined : <Time key="until" at={until} />],
            [text.owner, owner === null ? texts.nobody : <bdi key="owner">{owner.name}</bdi>],
            [text.first, <Time key="first" at={finding.first_seen} />],
            [text.last, <Time key="last" at={finding.last_seen} />],
            [text.sightings, text.times(finding.sightings)],
            [text.axis, shared.axes[finding.axis]],
            [text.remedy, shared.remedies[finding.remedy]],
            [text.owasp, finding.owasp ?? undefined],
          ]}
        />
      </Section>
    </>
  );
}
