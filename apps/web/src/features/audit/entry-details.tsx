import type { AuditEntryView } from '@flotilla/contract';
import { Button, Group, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { useClientNames } from '../../app/use-client-names.ts';
import { ChangeList } from '../../changes/index.ts';
import { Copy, Facts, formatExact, Section, State, toWord } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import classes from './audit.module.css';
import { projectName } from './audit-columns.tsx';
import { readChanges } from './changes.ts';
import { actorName, placeOf, policyRevisionOf, resourceKind, resourceName } from './entry-words.ts';
import { texts } from './texts.tsx';
import { around } from './time-range.ts';

const text = texts.entryDetails;

interface EntryDetailsProps {
  readonly entry: AuditEntryView;
  readonly projectNames: ReadonlyMap<string, string> | undefined;
}

/** Shows all members of an entry, with links to related entries. */
export function EntryDetails({ entry, projectNames }: EntryDetailsProps) {
  const { actor } = entry;
  const nameOf = useClientNames();
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [
            text.facts.outcome,
            <State key="outcome" word={toWord(entry.outcome)} why={text.facts.answeredWith(entry.status)} />,
          ],
          [text.facts.time, formatExact(entry.at)],
          [
            text.facts.who,
            <span key="who">
              <bdi title={actor.id ?? undefined}>{actorName(entry, nameOf)}</bdi>, {actor.kind}
              {actor.role && `, as ${actor.role}`}
            </span>,
          ],
          [text.facts.resource, <ResourceFact key="resource" entry={entry} />],
          [text.facts.project, projectNames && <bdi key="project">{projectName(entry.project, projectNames)}</bdi>],
        ]}
      />
      <Section title={text.facts.changes}>
        <Changes changes={entry.changes} outcome={entry.outcome} />
        <RevisionLink entry={entry} />
      </Section>
      <Section title={text.facts.lookFurther}>
        <Further entry={entry} />
      </Section>
      <Section title={text.facts.request}>
        <RequestFacts entry={entry} />
      </Section>
    </Stack>
  );
}

function RequestFacts({ entry }: { entry: AuditEntryView }) {
  const { resource, request } = entry;
  return (
    <Facts
      facts={[
        [text.facts.status, String(entry.status)],
        [text.facts.errorCode, entry.error_code ?? undefined],
        [
          text.facts.action,
          <span key="action" className="mono">
            {entry.action}
          </span>,
        ],
        [text.facts.address, request.client_ip && <span className="mono">{request.client_ip}</span>],
        [text.facts.program, request.user_agent && <bdi>{request.user_agent}</bdi>],
        [
          text.facts.requestLine,
          request.path && (
            <span className="mono">
              {request.method} {request.path}
            </span>
          ),
        ],
        [text.facts.requestId, request.id && <Id key="request" id={request.id} what={text.facts.requestIdName} />],
        [
          text.facts.resourceId,
          resource.id && <Id key="resource-id" id={resource.id} what={text.facts.resourceIdName} />,
        ],
        [text.facts.entryId, <Id key="entry" id={entry.id} what={text.facts.entryIdName} />],
      ]}
    />
  );
}

function ResourceFact({ entry }: { entry: AuditEntryView }) {
  const project = useProject();
  const { resource } = entry;
  const nameOf = useClientNames();
  const name = resourceName(resource, nameOf);
  if (name === '') return '–';
  const place = entry.project === project.id ? placeOf(entry, project.name) : undefined;
  return (
    <span title={resource.name ?? resource.id ?? undefined}>
      {resourceKind(resource)}{' '}
      {place ? (
        <Link to={place.to} params={place.params} className="mono">
          <bdi>{name}</bdi>
        </Link>
      ) : (
        <bdi className="mono">{name}</bdi>
      )}
    </span>
  );
}

function Id({ id, what }: { id: string; what: string }) {
  return (
    <span>
      <span className="mono">{id}</span> <Copy text={id} what={what} />
    </span>
  );
}

function Changes({ changes, outcome }: { changes: unknown; outcome: AuditEntryView['outcome'] }) {
  const { differences, facts } = readChanges(changes);
  if (differences.length === 0 && facts.length === 0)
    return <p className={layout.note}>{outcome === 'done' ? text.changes.notTold : text.changes.nothingChanged}</p>;
  return (
    <>
      {facts.length > 0 && (
        <Facts facts={facts.map(([name, value]) => [toWord(name), <FactValue key={name} value={value} />])} />
      )}
      {differences.length > 0 && <ChangeList changes={differences} />}
    </>
  );
}

/** Links to the revision: the log of a policy only has digests, and the text is in its history. */
function RevisionLink({ entry }: { entry: AuditEntryView }) {
  const project = useProject();
  const revision = policyRevisionOf(entry);
  const place = entry.project === project.id ? placeOf(entry, project.name) : undefined;
  if (revision === undefined || !place) return null;
  return (
    <Link to={place.to} params={place.params} search={{ tab: 'history', revision: String(revision) }}>
      {text.revisionLink.whatChanged(revision)}
    </Link>
  );
}

function FactValue({ value }: { value: unknown }) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'object') return <pre className={classes.json}>{JSON.stringify(value, undefined, 2)}</pre>;
  return <bdi>{String(value)}</bdi>;
}

const NO_FILTERS = {
  q: undefined,
  outcome: undefined,
  user: undefined,
  action: undefined,
  resource_type: undefined,
  resource_id: undefined,
  from: undefined,
  to: undefined,
  range: undefined,
  sort: undefined,
  entry: undefined,
};

function Further({ entry }: { entry: AuditEntryView }) {
  const url = useUrlState();
  const { actor, resource } = entry;
  const who = actor.name ?? actor.id;
  const show = (filters: Readonly<Record<string, string | undefined>>) =>
    url.set({ ...NO_FILTERS, ...filters }, 'push');
  return (
    <Group gap="xs">
      {resource.id && (
        <Button variant="default" onClick={() => show({ range: 'all', resource_id: resource.id ?? undefined })}>
          {text.further.aboutResource}
        </Button>
      )}
      {who && (
        <Button variant="default" onClick={() => show({ range: 'all', user: who })}>
          {text.further.byActor(actor.kind === 'user' ? 'person' : actor.kind)}
        </Button>
      )}
      <Button variant="default" onClick={() => show(around(entry.at))}>
        {text.further.aroundThatTime}
      </Button>
    </Group>
  );
}
