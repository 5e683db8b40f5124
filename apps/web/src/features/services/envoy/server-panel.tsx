import { type EnvoyServer, mayCommand, readEnvoyServer } from '@flotilla/contract';
import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useProject } from '../../../app/project.tsx';
import { Confirm, State, sayDone, useKept } from '../../../ui/index.ts';
import classes from '../service.module.css';
import { texts } from './texts.tsx';
import { bodyOf, type EnvoyPlace, useProxy, useProxyWrite } from './use-proxy.ts';

const text = texts.server;
const EVERY_MS = 10_000;
const DRAINING = 'DRAINING';

/** Shows the state of Envoy, and drains it. The part of the page below explains why Envoy does not answer. */
export function ServerPanel({ place }: { place: EnvoyPlace }) {
  const query = useProxy(place, { path: '/envoy', queries: { parts: 'server_info' } }, { everyMs: EVERY_MS });
  if (query.isPending) return <Skeleton height={14} width={220} aria-busy="true" />;
  const [result] = query.data?.body.results ?? [];
  const server = readServer(bodyOf(result));
  if (!server) return <State word={text.noAnswer} tone="bad" shape="triangle" why={result?.error?.message} />;
  return <Server server={server} place={place} />;
}

function readServer(body: unknown): EnvoyServer | undefined {
  return readEnvoyServer((body as { server_info?: unknown } | undefined)?.server_info);
}

function Server({ server, place }: { server: EnvoyServer; place: EnvoyPlace }) {
  const { role } = useProject();
  const [isAsking, setAsking] = useState(false);
  const isDraining = server.state === DRAINING;
  return (
    <>
      <ServerState state={server.state} />
      <span className={classes.side}>{text.runs(server.version, server.uptime)}</span>
      <span className={classes.grow} />
      {mayCommand(role, 'PROXY WRITE') && (
        <Button variant="default" size="xs" onClick={() => setAsking(true)}>
          {isDraining ? text.undrain : text.drain}
        </Button>
      )}
      <DrainQuestion
        place={place}
        ask={isAsking ? (isDraining ? 'ok' : 'fail') : undefined}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

function ServerState({ state }: { state: string }) {
  if (state === 'LIVE') return <State word={text.live} />;
  if (state === DRAINING) return <State word={text.draining} tone="warn" shape="half" why={text.whyDraining} />;
  return <State word={text.starting} tone="busy" shape="arc" />;
}

interface DrainQuestionProps {
  readonly place: EnvoyPlace;
  /** The new result of the health check. Undefined closes the dialog. */
  readonly ask: 'ok' | 'fail' | undefined;
  readonly onClose: () => void;
}

function DrainQuestion({ place, ask, onClose }: DrainQuestionProps) {
  const write = useProxyWrite(place);
  // The question stays readable while the dialog closes, although the state has changed.
  const asked = useKept(ask) ?? 'fail';
  const isDrain = asked === 'fail';
  const { clientName } = place;
  const confirm = async () => {
    await write({ path: `/healthcheck/${asked}` });
    sayDone(isDrain ? text.drained(clientName) : text.undrained(clientName));
  };
  return (
    <Confirm
      opened={ask !== undefined}
      title={isDrain ? text.drainTitle(clientName) : text.undrainTitle(clientName)}
      action={isDrain ? text.drain : text.undrain}
      isDangerous={isDrain}
      onConfirm={confirm}
      onClose={onClose}
    >
      {isDrain ? text.drainText : text.undrainText}
    </Confirm>
  );
}
