import { Button, Stack } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type Loaded as Answer, routes, useApi } from '../../api/index.ts';
import { AuditLink, ServiceLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { RolloutProgress, useStandingRefusal } from '../../changes/index.ts';
import { Digest, Facts, Notice, RecordPage, Time, UrlTabs } from '../../ui/index.ts';
import { DecidingText } from './deciding-text.tsx';
import { EditTab } from './editing/edit-tab.tsx';
import { usePolicyEdit } from './editing/use-policy-edit.ts';
import { HistoryTab } from './history-tab.tsx';
import type { Policy } from './model.ts';
import { NodesTab } from './nodes/nodes-tab.tsx';
import { PolicyActions } from './policy-actions.tsx';
import { StructureTab } from './structure/structure-tab.tsx';
import { texts } from './texts.tsx';
import { TrafficTab } from './traffic/traffic-tab.tsx';
import { TrialTab } from './trial/trial-tab.tsx';
import { useAskedRule } from './use-asked-rule.ts';
import { useDecision } from './use-decision.ts';

const text = texts.policyPage;

export function PolicyPage() {
  const project = useProject();
  const { name } = useParams({ from: '/p/$project/policies/$name' });
  const query = useApi(
    routes.policy.get,
    { params: { name }, query: { project: project.id } },
    { topics: ['policy', 'service'] },
  );
  return (
    <RecordPage
      words={{ ...text.page, title: name }}
      query={query}
      list={{
        name: text.page.policies,
        link: (label) => (
          <Link to="/p/$project/policies" params={{ project: project.name }}>
            {label}
          </Link>
        ),
      }}
      lead={({ description }) => description && <bdi>{description}</bdi>}
      actions={(answer) => <PolicyActions answer={answer} />}
      whyMissing={text.page.whyMissing(<AuditLink about={name} />)}
      keepsDeleted
      skeleton={14}
    >
      {(answer) => <Content key={answer.body.id} answer={answer} />}
    </RecordPage>
  );
}

function Content({ answer }: { answer: Answer<Policy> }) {
  const { body: policy } = answer;
  const can = useCan();
  const edit = usePolicyEdit(answer);
  const decision = useDecision(policy);
  useAskedRule(edit.content.text, decision.kind === 'now');
  return (
    <>
      <Saved policy={policy} />
      <DecidingText policy={policy} decision={decision} />
      <Facts
        facts={[
          [text.content.hosts, <Hosts key="hosts" hosts={policy.hosts} />],
          [text.content.usedBy, policy.services && <Services key="services" services={policy.services} />],
          [
            text.content.revision(policy.revision),
            <span key="revision">
              {text.content.storedBy(<Time at={policy.updated_at} />, <bdi>{policy.updated_by}</bdi>)}
            </span>,
          ],
          [text.content.digest, <Digest key="digest" digest={policy.digest} />],
        ]}
      />
      <UrlTabs
        label={text.content.about}
        tabs={[
          {
            id: 'edit',
            label: can(routes.policy.replace) ? `Edit${edit.isDirty ? text.content.notSaved : ''}` : text.content.text,
            content: () => <EditTab policy={policy} edit={edit} />,
          },
          {
            id: 'structure',
            label: text.content.structure,
            content: () => <StructureTab text={edit.content.text} isDraft={edit.isDirty} />,
          },
          ...(can(routes.shieldTrial.try)
            ? [
                {
                  id: 'try',
                  label: text.content.try,
                  content: () => <TrialTab content={edit.content} name={policy.name} isDraft={edit.isDirty} />,
                },
              ]
            : []),
          { id: 'nodes', label: text.content.nodes, content: () => <NodesTab policy={policy} /> },
          { id: 'traffic', label: text.content.traffic, content: () => <TrafficTab policy={policy} /> },
          { id: 'history', label: text.content.history, content: () => <HistoryTab answer={answer} /> },
        ]}
      />
    </>
  );
}

/** Shows the progress of the saved change. The change is in the URL, so that it survives a reload. A refusal is always shown. */
function Saved({ policy }: { policy: Policy }) {
  const url = useUrlState();
  const saved = Number(url.get('saved')) || undefined;
  const refused = useStandingRefusal({ collection: 'policies', name: policy.name });
  const revision = saved ?? refused;
  const keys = Number(url.get('keys')) || 0;
  const isShown = revision !== undefined && revision <= policy.revision;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isShown && saved !== undefined) place.current?.scrollIntoView({ block: 'center' });
  }, [isShown, saved]);
  if (!isShown) return null;
  return (
    <Stack ref={place} gap={14} miw={0}>
      {keys > 0 && (
        <Notice tone="good" title={text.saved.title(keys)}>
          {text.saved.keysStoredNowhere}
        </Notice>
      )}
      <RolloutProgress
        collection="policies"
        name={policy.name}
        revision={revision}
        wayBack={
          revision > 1 && (
            <Button
              variant="default"
              size="compact-xs"
              onClick={() => url.set({ tab: 'history', revision: String(revision - 1), against: 'now' }, 'push')}
            >
              {text.saved.goBackTo(revision - 1)}
            </Button>
          )
        }
        {...(revision !== refused && { onClose: () => url.set({ saved: undefined, keys: undefined }) })}
      />
    </Stack>
  );
}

const NAMED_MAX = 4;

function Hosts({ hosts }: { hosts: readonly string[] }) {
  if (hosts.length === 0) return text.hosts.none;
  const rest = hosts.length - NAMED_MAX;
  return (
    <span className="mono" title={hosts.join('\n')}>
      <bdi>{hosts.slice(0, NAMED_MAX).join(', ')}</bdi>
      {rest > 0 && text.hosts.andMore(rest)}
    </span>
  );
}

function Services({ services }: { services: NonNullable<Policy['services']> }) {
  if (services.length === 0) return text.services.none;
  const rest = services.length - NAMED_MAX;
  return (
    <>
      {services.slice(0, NAMED_MAX).map((service, index) => (
        <span key={service.id}>
          {index > 0 && ', '}
          <ServiceLink id={service.id} name={service.name} />
        </span>
      ))}
      {rest > 0 && texts.policyPage.hosts.andMore(rest)}
    </>
  );
}
