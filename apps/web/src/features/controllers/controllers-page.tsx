import type { ControllerView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { Confirm, Facts, formatBytes, Notice, RecordPage, Section, State, Time, useWrite } from '../../ui/index.ts';
import { nameController } from './name-controller.ts';
import { texts } from './texts.ts';

const text = texts;
/** Controllers emit no events, in particular when they crash. */
const REFRESH_MS = 3000;

/** Lists the processes of this installation, their leader and load. */
export function ControllersPage() {
  const found = useApi(routes.controller.instances, {}, { refetchEveryMs: () => REFRESH_MS });
  return (
    <RecordPage words={text} query={found}>
      {({ body: { instances, leader, has_leader: hasLeader } }) => (
        <>
          {!hasLeader && (
            <Notice tone="warn" title={text.noLeader.title}>
              {text.noLeader.text}
            </Notice>
          )}
          {instances.map((controller) => (
            <Controller
              key={controller.id}
              controller={controller}
              name={nameController(controller, instances)}
              duties={controller.is_leader ? (leader?.duties ?? []) : []}
            />
          ))}
          {instances.length === 1 && <p>{text.alone}</p>}
        </>
      )}
    </RecordPage>
  );
}

interface ControllerProps {
  readonly controller: ControllerView;
  readonly name: string;
  /** Duties of the leader; empty for other controllers. */
  readonly duties: readonly string[];
}

function Controller({ controller, name, duties }: ControllerProps) {
  const can = useCan();
  const { load, live } = controller;
  const [word, why] = live ? text.live : text.gone;
  const isRemovable = !live && can(routes.controller.remove);
  return (
    <Section title={name} {...(isRemovable && { actions: <Removal controller={controller} name={name} /> })}>
      <Facts
        facts={[
          [
            text.facts.state,
            <State key="state" word={word} why={why} tone={live ? 'good' : 'bad'} shape={live ? 'full' : 'ring'} />,
          ],
          [text.facts.leads, duties.length > 0 ? duties.join(', ') : undefined],
          [text.facts.address, controller.rest_addr ?? undefined],
          [text.facts.agentsAddress, controller.grpc_addr ?? undefined],
          [text.facts.does, controller.roles.toSorted().map(text.does).join(', ') || undefined],
          ...(live && load ? listLoad(load) : []),
          [text.facts.started, <Time key="started" at={controller.started_at} />],
          [text.facts.heard, <Time key="heard" at={controller.last_seen} />],
          [text.facts.version, controller.version],
          [
            text.facts.id,
            <span key="id" className="mono">
              {controller.id}
            </span>,
          ],
        ]}
      />
    </Section>
  );
}

function listLoad(load: NonNullable<ControllerView['load']>): [string, string][] {
  return [
    [text.facts.agents, load.agents.toLocaleString('en')],
    [text.facts.streams, load.streams.toLocaleString('en')],
    [text.facts.jobs, load.jobs.toLocaleString('en')],
    [text.facts.cpu, text.cpu(load.cpu)],
    [text.facts.memory, formatBytes(load.rss_bytes)],
  ];
}

function Removal({ controller, name }: { controller: ControllerView; name: string }) {
  const [isOpen, setOpen] = useState(false);
  const write = useWrite();
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {text.remove.action}
      </Button>
      <Confirm
        opened={isOpen}
        title={text.remove.title(name)}
        action={text.remove.action}
        isDangerous
        onClose={() => setOpen(false)}
        onConfirm={() =>
          write(
            routes.controller.remove,
            { params: { controller_id: controller.id } },
            { done: text.remove.done, stale: [routes.controller.instances] },
          )
        }
      >
        {text.remove.text}
      </Confirm>
    </>
  );
}
