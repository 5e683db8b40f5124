import { Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Copy, Facts, Loaded, Notice, Section, State, Time, UrlDrawer } from '../../ui/index.ts';
import classes from './client.module.css';
import { codeOf, formatDuration, lookOf, nameOf } from './command-names.ts';
import type { CommandRecord } from './model.ts';
import { texts } from './texts.tsx';

const text = texts.commandDrawer;

const ASK_EVERY_MS = 2000;

/** Shows the command of `?command=<id>` and its result. */
export function CommandDrawer() {
  return (
    <UrlDrawer name="command" title={text.drawer.title} size="lg">
      {(commandId) => <CommandDetail commandId={commandId} />}
    </UrlDrawer>
  );
}

function CommandDetail({ commandId }: { commandId: string }) {
  const project = useProject();
  const query = useApi(
    routes.command.read,
    { params: { command_id: commandId }, query: { project: project.id } },
    {
      topics: ['command'],
      // Read-only commands emit no events.
      refetchEveryMs: (command) => (command?.kind === 'query' && command.finished_at === null ? ASK_EVERY_MS : false),
    },
  );
  return (
    <Loaded query={query} what={text.loading.what} skeleton={10}>
      {({ body }) => <Detail command={body} />}
    </Loaded>
  );
}

function Detail({ command }: { command: CommandRecord }) {
  const look = lookOf(command.outcome);
  const result = command.result === undefined ? undefined : JSON.stringify(command.result, undefined, 2);
  return (
    <Stack gap="lg">
      {command.error && (
        <Notice tone={look.tone} title={look.word}>
          {command.error.message} <span className={`mono ${classes.dimmed}`}>{command.error.code}</span>
        </Notice>
      )}
      <CommandFacts command={command} />
      {result !== undefined && (
        <Section title={text.detail.result} actions={<Copy text={result} what={text.detail.resultName} />}>
          {/* A long result must be scrollable by keyboard. */}
          <pre className={`${classes.result} mono`} tabIndex={0}>
            {result}
          </pre>
        </Section>
      )}
    </Stack>
  );
}

function CommandFacts({ command }: { command: CommandRecord }) {
  const project = useProject();
  return (
    <Facts
      facts={[
        [text.detail.command, nameOf(command)],
        [
          text.detail.nameInApi,
          <span key="code" className="mono">
            {codeOf(command)}
          </span>,
        ],
        [text.detail.outcome, <State key="outcome" {...lookOf(command.outcome)} />],
        [text.detail.step, command.finished_at ? undefined : (command.step ?? text.detail.notTold)],
        [
          text.detail.service,
          command.service_id ? (
            <Link
              key="service"
              to="/p/$project/services/$serviceId"
              params={{ project: project.name, serviceId: command.service_id }}
            >
              {text.detail.openService}
            </Link>
          ) : undefined,
        ],
        [text.detail.by, <bdi key="by">{command.created_by}</bdi>],
        [text.detail.given, <Time key="created" at={command.created_at} />],
        [
          text.detail.reachedClient,
          <Time
            key="sent"
            at={command.sent_at}
            empty={command.finished_at ? text.detail.atOnce : text.detail.notYet}
          />,
        ],
        [text.detail.ended, <Time key="finished" at={command.finished_at} empty={text.detail.notYet} />],
        [
          text.detail.deadline,
          command.finished_at ? undefined : (
            <Time key="deadline" at={command.deadline_at} empty={text.detail.noDeadline} />
          ),
        ],
        [text.detail.took, command.finished_at ? formatDuration(command.duration_ms) : undefined],
        [
          text.detail.id,
          <span key="id" className="mono">
            {command.id}
          </span>,
        ],
      ]}
    />
  );
}
