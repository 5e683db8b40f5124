import type { AuditHold } from '@flotilla/contract';
import { Button, Drawer, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import {
  Confirm,
  Facts,
  Loaded,
  Problem,
  Section,
  State,
  sayDone,
  Time,
  toWord,
  useKept,
  useSending,
} from '../../ui/index.ts';
import classes from './audit.module.css';
import { projectName } from './audit-columns.tsx';
import { fromLocalInput } from './time-range.ts';

const text = texts.audit.keeping;
const ASK_EVERY_MS = 5000;

interface KeepingDrawerProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Forwarding of the audit log, and the legal holds: for owners of the installation. */
export function KeepingDrawer({ opened, onClose }: KeepingDrawerProps) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size="min(620px, 100vw)"
      title={text.title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className={classes.details}>
        <Section title={text.sinks}>
          <Sinks isShown={opened} />
        </Section>
        <Section title={text.holds}>
          <Holds isShown={opened} />
        </Section>
      </div>
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
                <div className={classes.dimmed}>
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
            <p className={classes.dimmed}>{text.none}</p>
          ) : (
            <ul className={classes.holds}>
              {body.items.map((hold) => (
                <li key={hold.id}>
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
                </li>
              ))}
            </ul>
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
  const queryClient = useQueryClient();
  const sending = useSending();
  const [reason, setReason] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const send = async () => {
    const isDone = await sending.send(async () => {
      const body = { project: project.id, reason, from: fromLocalInput(from) ?? null, to: fromLocalInput(to) ?? null };
      await call(routes.auditKeeping.createHold, { body });
      await invalidate(queryClient, routes.auditKeeping.listHolds);
    });
    if (!isDone) return;
    setReason('');
    setFrom('');
    setTo('');
    sayDone(text.held);
  };
  return (
    <form
      className={classes.details}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextInput
        label={text.reason}
        description={text.reasonHint}
        value={reason}
        maxLength={512}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <div className={classes.time}>
        <TextInput
          type="datetime-local"
          label={text.from}
          description={text.timeHint}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label={text.to}
          description={text.timeHint}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
      </div>
      {sending.error !== undefined && <Problem error={sending.error} what={text.holdsFailed} />}
      <div>
        <Button type="submit" variant="default" loading={sending.isBusy} disabled={reason.trim() === ''}>
          {text.hold}
        </Button>
      </div>
    </form>
  );
}

function ReleaseHold({ hold, onClose }: { hold: AuditHold | undefined; onClose: () => void }) {
  const queryClient = useQueryClient();
  const shown = useKept(hold);
  return (
    <Confirm
      opened={hold !== undefined}
      title={text.releaseTitle}
      action={text.release}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        if (!hold) return;
        await call(routes.auditKeeping.releaseHold, { params: { hold_id: hold.id } });
        sayDone(text.done);
        await invalidate(queryClient, routes.auditKeeping.listHolds);
      }}
    >
      <p>
        <bdi>{shown?.reason}</bdi>
      </p>
      <p>{text.releaseMeans}</p>
    </Confirm>
  );
}
