import type { AuditHold } from '@flotilla/contract';
import { Button, Drawer, Group, List, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import {
  ApiFormBody,
  ConfirmRecord,
  Facts,
  Loaded,
  Section,
  State,
  Time,
  toWord,
  useApiForm,
  useWrite,
} from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { projectName } from './audit-columns.tsx';
import { texts } from './texts.tsx';
import { fromLocalInput } from './time-range.ts';

const text = texts.keeping;
const ASK_EVERY_MS = 5000;

interface KeepingDrawerProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Forwarding of the audit log and the legal holds, for owners of the installation. */
export function KeepingDrawer({ opened, onClose }: KeepingDrawerProps) {
  return (
    <Drawer opened={opened} onClose={onClose} size="min(620px, 100vw)" title={text.title}>
      <Stack gap="md">
        <Section title={text.sinks}>
          <Sinks isShown={opened} />
        </Section>
        <Section title={text.holds}>
          <Holds isShown={opened} />
        </Section>
      </Stack>
    </Drawer>
  );
}

function Sinks({ isShown }: { isShown: boolean }) {
  const sinks = useApi(routes.auditKeeping.listSinks, {}, { enabled: isShown, refetchEveryMs: () => ASK_EVERY_MS });
  return (
    <Loaded query={sinks} what={text.sinksFailed} skeleton={2}>
      {({ body }) => (
        <Facts
          facts={body.items.map((sink) => [
            text.sinkNames[sink.name],
            <span key={sink.name}>
              <State word={toWord(sink.state)} why={sink.last_error ?? undefined} />{' '}
              {sink.state !== 'off' && text.behind(sink.lag_entries, sink.lag_seconds)}
              {sink.position !== null && (
                <div className={layout.note}>
                  {text.sentTo(sink.position)}
                  {sink.delivered_at && (
                    <>
                      , <Time at={sink.delivered_at} />
                    </>
                  )}
                </div>
              )}
              {sink.last_error && sink.state === 'failing' && <div>{sink.last_error}</div>}
            </span>,
          ])}
        />
      )}
    </Loaded>
  );
}

function Holds({ isShown }: { isShown: boolean }) {
  const holds = useApi(routes.auditKeeping.listHolds, {}, { enabled: isShown });
  const projects = useApi(routes.project.list, { query: {} }, { enabled: isShown, topics: ['project'] });
  const names = new Map(projects.data?.body.items.map(({ id, name }) => [id, name]));
  const [releasing, setReleasing] = useState<AuditHold>();
  return (
    <>
      <Loaded query={holds} what={text.holdsFailed} skeleton={2}>
        {({ body }) =>
          body.items.length === 0 ? (
            <p className={layout.note}>{text.none}</p>
          ) : (
            <List>
              {body.items.map((hold) => (
                <List.Item key={hold.id}>
                  <bdi>{hold.reason}</bdi> ({hold.project === null ? text.ofAll : projectName(hold.project, names)}
                  <HeldTime hold={hold} />
                  ), <bdi>{hold.created_by}</bdi>, <Time at={hold.created_at} />{' '}
                  {hold.released_by === null ? (
                    <Button variant="default" onClick={() => setReleasing(hold)}>
                      {text.release}
                    </Button>
                  ) : (
                    text.released(hold.released_by)
                  )}
                </List.Item>
              ))}
            </List>
          )
        }
      </Loaded>
      <NewHold />
      <ReleaseHold hold={releasing} onClose={() => setReleasing(undefined)} />
    </>
  );
}

function HeldTime({ hold: { from, to } }: { hold: AuditHold }) {
  return (
    <>
      {from && (
        <>
          {text.heldFrom} <Time at={from} />
        </>
      )}
      {to && (
        <>
          {text.heldTo} <Time at={to} />
        </>
      )}
    </>
  );
}

function NewHold() {
  const project = useProject();
  const write = useWrite();
  const form = useApiForm({
    route: routes.auditKeeping.createHold,
    initial: { reason: '', start: '', end: '' },
    send: async ({ reason, start, end }) => {
      const body = {
        project: project.id,
        reason,
        from: fromLocalInput(start) ?? null,
        to: fromLocalInput(end) ?? null,
      };
      const stale = [routes.auditKeeping.listHolds];
      await write(routes.auditKeeping.createHold, { body }, { done: text.held, stale });
      form.reset();
    },
  });
  return (
    <ApiFormBody form={form} action={text.hold} failed={text.holdsFailed} isReady={form.values.reason.trim() !== ''}>
      <TextInput label={text.reason} description={text.reasonHint} {...form.field('reason')} />
      <Group gap="xs">
        <TextInput type="datetime-local" label={text.from} description={text.timeHint} {...form.field('start')} />
        <TextInput type="datetime-local" label={text.to} description={text.timeHint} {...form.field('end')} />
      </Group>
    </ApiFormBody>
  );
}

function ReleaseHold({ hold, onClose }: { hold: AuditHold | undefined; onClose: () => void }) {
  const write = useWrite();
  return (
    <ConfirmRecord
      of={hold}
      title={() => text.releaseTitle}
      action={text.release}
      isDangerous
      onClose={onClose}
      onConfirm={({ id }) =>
        write(
          routes.auditKeeping.releaseHold,
          { params: { hold_id: id } },
          { done: text.done, stale: [routes.auditKeeping.listHolds] },
        )
      }
    >
      {({ reason }) => (
        <>
          <p>
            <bdi>{reason}</bdi>
          </p>
          <p>{text.releaseMeans}</p>
        </>
      )}
    </ConfirmRecord>
  );
}
